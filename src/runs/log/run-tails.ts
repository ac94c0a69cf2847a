// The newest events of the runs that this process executes, in memory, and a signal when there are more.
import { LRUCache } from 'lru-cache';
import type { RunEpoch, RunRecord } from '../../storage/runs.ts';
import { intactThrough, type SeenPlace } from './epochs.ts';
import type { LoggedEvent } from './log-event.ts';
import { Watches } from './watches.ts';

/** Events in memory per run, and pieces of all ended runs. Readers that are further behind read rows. */
const MAX_EVENTS_PER_RUN = 256;
const MAX_ENDED_PIECES = 50_000;

interface Tail {
  /** The position of the last event before those in memory. */
  readonly openedAfter: number;
  /** The epochs of the run when this process claimed it. */
  readonly epochs: readonly RunEpoch[];
  events: LoggedEvent[];
}

/** A reader's position in a log. */
export interface LogPlace {
  /** The position of the last event that the reader no longer needs; 0 for none. */
  readonly after: number;
  /** The last event shown, in this reading or an earlier one. Absent: none that could be lost. */
  readonly seen?: SeenPlace | undefined;
}

export class RunTails {
  /** The readers of runs. Those of a run are woken by its `open`, `publish`, `close` and `forget`. */
  readonly watches = new Watches();
  readonly #open = new Map<string, Tail>();
  readonly #ended = new LRUCache<string, Tail>({ maxSize: MAX_ENDED_PIECES });

  /** Starts the tail of a run executed here. `lastSeq` is the last position in its log so far. */
  open(runId: string, lastSeq: number, epochs: readonly RunEpoch[]): void {
    this.#ended.delete(runId);
    this.#open.set(runId, { openedAfter: lastSeq, epochs, events: [] });
    this.watches.wake(runId);
  }

  /** Shows durable events to readers. */
  publish(runId: string, events: readonly LoggedEvent[]): void {
    const tail = this.#open.get(runId);
    if (tail === undefined) return;
    tail.events.push(...events);
    if (tail.events.length > MAX_EVENTS_PER_RUN * 2) tail.events = tail.events.slice(-MAX_EVENTS_PER_RUN);
    this.watches.wake(runId);
  }

  /** Ends the tail: the run is no longer executed here, and readers find later events in storage. */
  close(runId: string): void {
    const tail = this.#open.get(runId);
    if (tail === undefined) return;
    this.#open.delete(runId);
    // A run that was handed over or lost continues elsewhere, so the events in memory are not complete.
    if (tail.events.at(-1)?.event.type === 'end')
      this.#ended.set(runId, tail, { size: piecesOf(tail.events) });
    this.watches.wake(runId);
  }

  /** True while this process executes the run. */
  isOpen(runId: string): boolean {
    return this.#open.has(runId);
  }

  /**
   * Returns up to `limit` events after the place. Returns `undefined` when memory does not reach back that
   * far, or holds another log than the reader has seen; storage then decides which one exists.
   */
  after(runId: string, { after: seq, seen }: LogPlace, limit: number): readonly LoggedEvent[] | undefined {
    const tail = this.#open.get(runId) ?? this.#ended.get(runId);
    if (tail === undefined) return undefined;
    if (seen !== undefined && intactThrough(tail.epochs, seen) < seen.seq) return undefined;
    const first = tail.events[0]?.seq ?? tail.openedAfter + 1;
    if (first > seq + 1) return undefined;
    const start = seq + 1 - first;
    return tail.events.slice(start, start + limit);
  }

  /** True when a reader at this place gets all later events from memory and need not read storage. */
  follows(runId: string, place: LogPlace): boolean {
    return this.#open.has(runId) && this.after(runId, place, 1) !== undefined;
  }

  /**
   * Compares the run in the database with its ended tail, and drops the tail if they differ. A restore or a
   * failover may have lost the end shown here, and another process may have ended the run again.
   */
  compare({ runId, status, epochs }: Pick<RunRecord, 'runId' | 'status' | 'epochs'>): void {
    const tail = this.#ended.peek(runId);
    const last = tail?.events.at(-1)?.event;
    const isSame =
      last?.type === 'end' && last.status === status && epochs.at(-1)?.name === tail?.epochs.at(-1)?.name;
    if (!isSame) this.#ended.delete(runId);
  }

  /** Drops the events of a deleted run from memory, unless the run is executed here. */
  forget(runId: string): void {
    this.#ended.delete(runId);
    this.watches.wake(runId);
  }
}

/** Counts the pieces of a text that arrived together, because it takes as much memory as they do. */
function piecesOf(events: readonly LoggedEvent[]): number {
  return events.reduce((sum, { event }) => sum + ('lengths' in event ? (event.lengths?.length ?? 1) : 1), 1);
}
