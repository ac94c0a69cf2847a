// Decides which parts of a flush go to the common log, and which runs get their logged events moved into their own
// rows.
import type { LogFlush, RunChange } from '../../storage/run-commits.ts';
import type { PendingRun, UnsortedPieces, Writer } from './run-writer.ts';
import type { Worker } from './worker.ts';

interface Unsorted extends UnsortedPieces {
  readonly texts: string[];
  /** The oldest flush that holds some of it. */
  readonly firstFlush: number;
  /** When that was written, as `elapsed`. */
  readonly since: number;
  /** To be sorted as soon as possible. */
  isUrgent: boolean;
}

/** What one transaction writes. */
export interface FlushPlan {
  readonly changes: readonly RunChange[];
  readonly log: LogFlush;
  /** Of which runs only pieces are written. */
  readonly logged: readonly PendingRun[];
  /** Of which runs everything is in their own rows with this flush. */
  readonly sorted: readonly Writer[];
}

/** Runs of which nothing was written to their own rows. */
export interface LeftOut {
  readonly lost: ReadonlySet<string>;
  readonly blocked: ReadonlySet<string>;
}

/** Readers find at most this many events of a run in memory, so no more may be missing from its rows. */
const MAX_UNSORTED_EVENTS = 200;
/** A flush brings few runs to their own rows, so that it takes no longer than others. */
const MIN_SORTED_PER_FLUSH = 8;
const SORTED_SHARE = 32;
/** Rows of the log go in batches, unless it is empty then. */
const ROWS_TO_REMOVE = 16;

/**
 * One row for all runs is cheap to write, one row for each run is cheap to read: events go to the common log first, and
 * move to the run's own rows with its next report, or after a while. Numbers its flushes.
 */
export class LogSorter {
  readonly #worker: Pick<Worker, 'id'>;
  readonly #sortAfterMs: number;
  /** Those that have been waiting for longest come first. */
  readonly #unsorted = new Map<Writer, Unsorted>();
  #workerId = '';
  #flush = 0;
  /** The last flush that is known to be committed. */
  #acknowledged = 0;
  /** The last flush that has a row in the log. */
  #lastLogged = 0;
  /** Rows of the log up to this flush are removed. */
  #removedTo = 0;
  /** Rows from this flush on are kept for the next start: what a run has there could not be sorted. */
  #keptFrom = Number.POSITIVE_INFINITY;

  constructor(worker: Pick<Worker, 'id'>, sortAfterMs: number) {
    this.#worker = worker;
    this.#sortAfterMs = sortAfterMs;
  }

  has(writer: Writer): boolean {
    return this.#unsorted.has(writer);
  }

  /** The next flush sorts what the run has logged. */
  hasten(writer: Writer): void {
    const unsorted = this.#unsorted.get(writer);
    if (unsorted !== undefined) unsorted.isUrgent = true;
  }

  hastenAll(): void {
    for (const unsorted of this.#unsorted.values()) unsorted.isUrgent = true;
  }

  /** Milliseconds until a run is to be sorted; `undefined` when none has logged anything. */
  dueIn(elapsed: number): number | undefined {
    const [oldest] = this.#unsorted.values();
    return oldest && Math.max(0, oldest.since + this.#sortAfterMs - elapsed);
  }

  /** What to write of the batch and of earlier ones. Nothing changes until `written` is called. */
  plan(batch: readonly PendingRun[], elapsed: number): FlushPlan {
    const header = this.header();
    const due = this.#due(elapsed);
    const logged: PendingRun[] = [];
    const sorted = new Set<Writer>();
    const changes: RunChange[] = [];
    for (const pending of batch) {
      if (this.#fitsLog(pending) && !due.has(pending.writer)) logged.push(pending);
      else {
        changes.push(pending.change(this.#unsorted.get(pending.writer)));
        sorted.add(pending.writer);
      }
    }
    for (const writer of due) {
      const unsorted = this.#unsorted.get(writer);
      if (unsorted === undefined || sorted.has(writer)) continue;
      changes.push(writer.sorting(unsorted));
      sorted.add(writer);
    }
    return { changes, logged, sorted: [...sorted], log: this.#logOf(header, logged, sorted) };
  }

  #fitsLog({ writer, isPieces, texts }: PendingRun): boolean {
    const before = this.#unsorted.get(writer)?.texts.length ?? 0;
    return isPieces && before + texts.length <= MAX_UNSORTED_EVENTS;
  }

  #due(elapsed: number): ReadonlySet<Writer> {
    const due = new Set<Writer>();
    const most = Math.max(MIN_SORTED_PER_FLUSH, this.#unsorted.size / SORTED_SHARE);
    for (const [writer, { since, isUrgent }] of this.#unsorted) {
      const isOld = since + this.#sortAfterMs <= elapsed && due.size < most;
      if (isUrgent || isOld) due.add(writer);
    }
    return due;
  }

  /** A flush of its own, without pieces. */
  header(): LogFlush {
    if (this.#workerId !== this.#worker.id) this.#startAnew();
    return { workerId: this.#workerId, flush: ++this.#flush, after: this.#acknowledged, pieces: [] };
  }

  /** The process was fenced: others sort what it logged, and it no longer owns any run. */
  #startAnew(): void {
    this.#workerId = this.#worker.id;
    this.#unsorted.clear();
    this.#acknowledged = 0;
    this.#keptFrom = Number.POSITIVE_INFINITY;
    this.#removedTo = this.#flush;
  }

  acknowledged({ flush }: LogFlush): void {
    this.#acknowledged = flush;
  }

  #logOf(header: LogFlush, logged: readonly PendingRun[], sorted: ReadonlySet<Writer>): LogFlush {
    const sortedTo = this.#sortedTo(sorted);
    const hasRows = this.#lastLogged > this.#removedTo;
    const removes = hasRows && (sortedTo >= this.#lastLogged || sortedTo - this.#removedTo >= ROWS_TO_REMOVE);
    const log = { ...header, pieces: logged.map((pending) => pending.pieces()) };
    return removes ? { ...log, sortedTo } : log;
  }

  /** The last flush of which everything is in the runs' own rows once these are sorted. */
  #sortedTo(sorted: ReadonlySet<Writer>): number {
    for (const [writer, { firstFlush }] of this.#unsorted)
      if (!sorted.has(writer)) return Math.min(firstFlush, this.#keptFrom) - 1;
    return Math.min(this.#flush, this.#keptFrom) - 1;
  }

  /** The plan is committed, but for what it has of runs that are lost, or blocked and therefore planned again. */
  written({ logged, sorted, log }: FlushPlan, { lost, blocked }: LeftOut, elapsed: number): void {
    for (const writer of sorted) if (!blocked.has(writer.run.runId)) this.#unsorted.delete(writer);
    for (const pending of logged) {
      if (lost.has(pending.writer.run.runId)) this.#unsorted.delete(pending.writer);
      else this.#add(pending, elapsed);
    }
    if (logged.length > 0) this.#lastLogged = this.#flush;
    if (log.sortedTo !== undefined) this.#removedTo = log.sortedTo;
  }

  #add({ writer, events, texts }: PendingRun, elapsed: number): void {
    const [first] = events;
    if (first === undefined) return;
    const before = this.#unsorted.get(writer);
    if (before !== undefined) before.texts.push(...texts);
    else {
      const unsorted = { firstSeq: first.seq, texts: [...texts], firstFlush: this.#flush };
      this.#unsorted.set(writer, { ...unsorted, since: elapsed, isUrgent: false });
    }
  }

  /** What the run has logged cannot be written to its own rows by this process. */
  keep(writer: Writer): void {
    const unsorted = this.#unsorted.get(writer);
    if (unsorted === undefined) return;
    this.#unsorted.delete(writer);
    this.#keptFrom = Math.min(this.#keptFrom, unsorted.firstFlush);
  }
}
