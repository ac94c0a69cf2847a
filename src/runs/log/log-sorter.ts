// Decides which parts of a flush go to the common log, and which runs get logged events in their own rows.
import type { LogFlush, RunChange } from '../../storage/run-commits.ts';
import { PendingRun, type UnsortedPieces, type Writer } from './run-writer.ts';
import type { Worker } from './worker.ts';

interface Unsorted extends UnsortedPieces {
  readonly texts: string[];
  /** The oldest flush with some of these events. */
  readonly firstFlush: number;
  /** When that flush was written, as `elapsed`. */
  readonly since: number;
  isUrgent: boolean;
}

/** The content of one transaction. */
export interface FlushPlan {
  readonly changes: readonly RunChange[];
  readonly log: LogFlush;
  /** Runs of which only pieces are written. */
  readonly logged: readonly PendingRun[];
  /** Runs whose events are all in their own rows after this flush. */
  readonly sorted: readonly Writer[];
}

/** Runs for which nothing was written to their own rows. */
export interface LeftOut {
  readonly lost: ReadonlySet<string>;
  readonly blocked: ReadonlySet<string>;
}

/** Readers find at most this many events of a run in memory, so its rows may lack no more than that. */
const MAX_UNSORTED_EVENTS = 200;
/** A flush moves few runs to their own rows, so that it takes no longer than others. */
const MIN_SORTED_PER_FLUSH = 8;
const SORTED_SHARE = 32;
/** Rows of the log are removed in batches, unless the log is empty afterwards. */
const ROWS_TO_REMOVE = 16;

/**
 * Sends events to the common log first, because one row for all runs is cheap to write. Moves them to the
 * run's own rows, which are cheap to read, with the next report that is more than pieces, or after a while.
 * Numbers its flushes.
 */
export class LogSorter {
  readonly #worker: Pick<Worker, 'id'>;
  readonly #sortAfterMs: number;
  /** Runs that have waited longest come first. */
  readonly #unsorted = new Map<Writer, Unsorted>();
  #workerId = '';
  #flush = 0;
  /** The last flush known to be committed. */
  #acknowledged = 0;
  /** The last flush with a row in the log. */
  #lastLogged = 0;
  /** Rows of the log up to this flush are removed. */
  #removedTo = 0;
  /** Rows from this flush on stay for the next start: they hold events that could not be sorted. */
  #keptFrom = Number.POSITIVE_INFINITY;

  constructor(worker: Pick<Worker, 'id'>, sortAfterMs: number) {
    this.#worker = worker;
    this.#sortAfterMs = sortAfterMs;
  }

  has(writer: Writer): boolean {
    return this.#unsorted.has(writer);
  }

  /** Makes the next flush sort the run's logged events. */
  hasten(writer: Writer): void {
    const unsorted = this.#unsorted.get(writer);
    if (unsorted !== undefined) unsorted.isUrgent = true;
  }

  hastenAll(): void {
    for (const unsorted of this.#unsorted.values()) unsorted.isUrgent = true;
  }

  /** Returns the milliseconds until a run must be sorted; `undefined` when none has logged events. */
  dueIn(elapsed: number): number | undefined {
    const [oldest] = this.#unsorted.values();
    return oldest && Math.max(0, oldest.since + this.#sortAfterMs - elapsed);
  }

  /** Plans what to write of the batch and of earlier ones. It counts as written only after `written`. */
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
      changes.push(new PendingRun(writer).change(unsorted));
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

  /** Returns a new flush without pieces. */
  header(): LogFlush {
    if (this.#workerId !== this.#worker.id) this.#startAnew();
    return { workerId: this.#workerId, flush: ++this.#flush, after: this.#acknowledged, pieces: [] };
  }

  /** Starts again after a fence: others sort what this process logged, and it no longer owns any run. */
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

  /** Returns the last flush whose events are all in the runs' own rows once `sorted` is written. */
  #sortedTo(sorted: ReadonlySet<Writer>): number {
    for (const [writer, { firstFlush }] of this.#unsorted)
      if (!sorted.has(writer)) return Math.min(firstFlush, this.#keptFrom) - 1;
    return Math.min(this.#flush, this.#keptFrom) - 1;
  }

  /** Records a committed plan, except for lost runs, and blocked ones, which are planned again. */
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

  /** Leaves the run's events in the log, because this process cannot write them to the run's own rows. */
  keep(writer: Writer): void {
    const unsorted = this.#unsorted.get(writer);
    if (unsorted === undefined) return;
    this.#unsorted.delete(writer);
    this.#keptFrom = Math.min(this.#keptFrom, unsorted.firstFlush);
  }
}
