// The newest events of runs that this process executes, in memory, and the signal that there are more.
import { LRUCache } from 'lru-cache';
import type { LoggedEvent } from './log-event.ts';

/** Events that stay at hand per run, and for how many bytes of ended runs. Whoever is further behind reads rows. */
const MAX_EVENTS_PER_RUN = 4_096;
const MAX_ENDED_EVENTS = 50_000;

interface Tail {
  events: LoggedEvent[];
}

export interface RunTails {
  /** The run is executed here from now on. */
  open(runId: string): void;
  /** Shows durable events to the readers. */
  publish(runId: string, events: readonly LoggedEvent[]): void;
  /** The run is no longer executed here; readers find the rest in storage. */
  close(runId: string): void;
  /** Whether this process executes the run now. */
  isOpen(runId: string): boolean;
  /** Up to `limit` events after `seq`, or `undefined` when memory does not reach back that far. */
  after(runId: string, seq: number, limit: number): readonly LoggedEvent[] | undefined;
  /** Resolves at the next `open`, `publish` or `close` of the run. */
  changed(runId: string): Promise<void>;
}

export function createRunTails(): RunTails {
  const open = new Map<string, Tail>();
  const ended = new LRUCache<string, Tail>({ maxSize: MAX_ENDED_EVENTS });
  const awaited = new Map<string, PromiseWithResolvers<void>>();

  const wake = (runId: string): void => {
    awaited.get(runId)?.resolve();
    awaited.delete(runId);
  };

  return {
    open(runId) {
      ended.delete(runId);
      open.set(runId, { events: [] });
      wake(runId);
    },
    publish(runId, events) {
      const tail = open.get(runId);
      if (tail === undefined) return;
      tail.events.push(...events);
      if (tail.events.length > MAX_EVENTS_PER_RUN * 2) tail.events = tail.events.slice(-MAX_EVENTS_PER_RUN);
      wake(runId);
    },
    close(runId) {
      const tail = open.get(runId);
      if (tail === undefined) return;
      open.delete(runId);
      ended.set(runId, tail, { size: tail.events.length + 1 });
      wake(runId);
    },
    isOpen: (runId) => open.has(runId),
    after(runId, seq, limit) {
      const events = (open.get(runId) ?? ended.get(runId))?.events;
      const first = events?.[0];
      if (events === undefined || first === undefined || first.seq > seq + 1) return undefined;
      const start = seq + 1 - first.seq;
      return events.slice(start, start + limit);
    },
    changed(runId) {
      const known = awaited.get(runId);
      if (known !== undefined) return known.promise;
      const made = Promise.withResolvers<void>();
      awaited.set(runId, made);
      return made.promise;
    },
  };
}
