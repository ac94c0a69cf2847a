// The newest events of runs that this process executes, in memory, and the signal that there are more.
import { LRUCache } from 'lru-cache';
import type { RunEpoch, RunRecord } from '../../storage/runs.ts';
import { intactThrough, type SeenPlace } from './epochs.ts';
import type { LoggedEvent } from './log-event.ts';

/**
 * How many events stay in memory per run, and how many bytes of ended runs. Readers that are further behind read rows.
 */
const MAX_EVENTS_PER_RUN = 256;
const MAX_ENDED_PIECES = 50_000;

interface Tail {
  /** The place of the last event before those at hand. */
  readonly openedAfter: number;
  /** Of the run as it was taken up here. */
  readonly epochs: readonly RunEpoch[];
  events: LoggedEvent[];
}

/** A reader's position in a log. */
export interface LogPlace {
  /** The place of the last event that it needs no more; 0 for none. */
  readonly after: number;
  /** The last event that it was shown, in this reading or an earlier one. Absent: none that could be lost. */
  readonly seen?: SeenPlace | undefined;
}

export interface RunTails {
  /** The run is executed here from now on; `lastSeq` is the place of the last event that its log has so far. */
  open(runId: string, lastSeq: number, epochs: readonly RunEpoch[]): void;
  /** Shows durable events to the readers. */
  publish(runId: string, events: readonly LoggedEvent[]): void;
  /** The run is no longer executed here; readers find the rest in storage. */
  close(runId: string): void;
  /** Whether this process executes the run now. */
  isOpen(runId: string): boolean;
  /**
   * Up to `limit` events after the place, or `undefined` when memory does not reach back that far, or holds another log
   * than the one that the reader has seen: then storage decides which of them there is.
   */
  after(runId: string, place: LogPlace, limit: number): readonly LoggedEvent[] | undefined;
  /** Whether a reader at this place gets everything that follows from memory and need not read storage. */
  follows(runId: string, place: LogPlace): boolean;
  /**
   * What the database says of the run now. It may have lost its end since that was shown here (a restore, a failover), and
   * another process may have ended it anew: then nothing of it stays in memory.
   */
  compare(run: Pick<RunRecord, 'runId' | 'status' | 'epochs'>): void;
  /** The run is gone: nothing that it said stays in memory. Of one that is executed here nothing is forgotten. */
  forget(runId: string): void;
  /** There is more of the run in storage than before. */
  wake(runId: string): void;
  /** There may be of every run. */
  wakeAll(): void;
  /** For one reader. Call `stop` when done, or the run stays in memory for ever. */
  watch(runId: string): TailWatch;
}

export interface TailWatch {
  /** Forgets what has happened so far. */
  begin(): void;
  /** Resolves at the next `open`, `publish` or `close` of the run, or `wake`; `undefined` when one was since `begin`. */
  changed(): Promise<void> | undefined;
  wake(): void;
  stop(): void;
}

export function createRunTails(): RunTails {
  const open = new Map<string, Tail>();
  const ended = new LRUCache<string, Tail>({ maxSize: MAX_ENDED_PIECES });
  const watched = new Map<string, Set<TailWatch>>();

  const wake = (runId: string): void => {
    for (const it of watched.get(runId) ?? []) it.wake();
  };

  const after: RunTails['after'] = (runId, { after: seq, seen }, limit) => {
    const tail = open.get(runId) ?? ended.get(runId);
    if (tail === undefined) return undefined;
    if (seen !== undefined && intactThrough(tail.epochs, seen) < seen.seq) return undefined;
    const first = tail.events[0]?.seq ?? tail.openedAfter + 1;
    if (first > seq + 1) return undefined;
    const start = seq + 1 - first;
    return tail.events.slice(start, start + limit);
  };

  return {
    open(runId, lastSeq, epochs) {
      ended.delete(runId);
      open.set(runId, { openedAfter: lastSeq, epochs, events: [] });
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
      // A run that was handed over or lost goes on elsewhere: what is at hand is not all there will be.
      if (tail.events.at(-1)?.event.type === 'end') ended.set(runId, tail, { size: piecesOf(tail.events) });
      wake(runId);
    },
    isOpen: (runId) => open.has(runId),
    after,
    follows: (runId, place) => open.has(runId) && after(runId, place, 1) !== undefined,
    compare({ runId, status, epochs }) {
      const tail = ended.peek(runId);
      const last = tail?.events.at(-1)?.event;
      const isSame =
        last?.type === 'end' && last.status === status && epochs.at(-1)?.name === tail?.epochs.at(-1)?.name;
      if (!isSame) ended.delete(runId);
    },
    wake,
    wakeAll() {
      for (const runId of [...watched.keys()]) wake(runId);
    },
    forget(runId) {
      ended.delete(runId);
      wake(runId);
    },
    watch(runId) {
      const watches = watched.get(runId) ?? new Set();
      watched.set(runId, watches);
      return new Watch(watches, (left) => {
        if (watched.get(runId) === left) watched.delete(runId);
      });
    },
  };
}

class Watch implements TailWatch {
  readonly #others: Set<TailWatch>;
  readonly #onLast: (watches: Set<TailWatch>) => void;
  #isChanged = false;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(others: Set<TailWatch>, onLast: (watches: Set<TailWatch>) => void) {
    this.#others = others;
    this.#onLast = onLast;
    others.add(this);
  }

  begin(): void {
    this.#isChanged = false;
  }

  changed(): Promise<void> | undefined {
    if (this.#isChanged) return undefined;
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  wake(): void {
    this.#isChanged = true;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  stop(): void {
    this.#others.delete(this);
    if (this.#others.size === 0) this.#onLast(this.#others);
  }
}

/** A text whose pieces arrived together takes as much memory as its pieces. */
function piecesOf(events: readonly LoggedEvent[]): number {
  return events.reduce((sum, { event }) => sum + ('lengths' in event ? (event.lengths?.length ?? 1) : 1), 1);
}
