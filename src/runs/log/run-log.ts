// Group commit: one transaction every few milliseconds writes what all runs of the process report.
import type { Log } from '../../log.ts';
import type { CommitOutcome, LogFlush, RunChange, RunCommits } from '../../storage/run-commits.ts';
import type { RunRecord } from '../../storage/runs.ts';
import { type CancelTimer, REAL_TIMERS, type Timers } from '../../timers.ts';
import { type FlushPlan, LogSorter } from './log-sorter.ts';
import type { RunTails } from './run-tails.ts';
import { PendingRun, type RunReport, type RunWriter, Writer } from './run-writer.ts';
import { untilAvailable } from './until-available.ts';
import type { Worker } from './worker.ts';

interface RunLogParts {
  /** The worker whose log it is. */
  readonly worker: Pick<Worker, 'id' | 'acknowledge'>;
  /** How long a run's events may be in the common log only. */
  readonly sortAfterMs: number;
  readonly commits: Pick<RunCommits, 'commit' | 'onDisk'>;
  readonly tails: RunTails;
  readonly log: Log;
  readonly now: () => number;
  /** The shortest time between two flushes while no caller waits. */
  readonly flushIntervalMs: number;
  /** Called when events of these runs are in their own rows, where readers in other processes find them. */
  readonly onSorted?: (runIds: readonly string[]) => void;
  readonly timers?: Timers;
}

/** So many pending reports end the wait; more with many runs, or each flush would cover only some of them. */
const MAX_PENDING_REPORTS = 256;
const MAX_PENDING_REPORTS_PER_RUN = 2;

/** A flush costs a row and a packet per run, whether it carries one token or three. */
const MS_PER_RUN = 0.04;
const MAX_MS = 20;
/** The same while a caller waits: nearly immediate while few runs report, batched when many do. */
const HURRIED_MS_PER_RUN = 1;
/** Most threads are locked for a moment. Runs of a thread locked for longer are retried at this interval. */
const BLOCKED_MS = 50;
const QUICK_TRIES = 3;

export class RunLog {
  readonly #parts: RunLogParts;
  /** The writer of the newest attempt of each run that is executed here. */
  readonly #writers = new Map<string, Writer>();
  #pending = new Map<string, PendingRun>();
  #reports = 0;
  /** True when a caller waits for what is pending. */
  #isHurried = false;
  #flushing: Promise<void> | undefined;
  /** `#shown` resolves when readers have the last flush, `#shownBefore` when they have the one before. */
  #shown: Promise<void> = Promise.resolve();
  #shownBefore: Promise<void> = Promise.resolve();
  readonly #timers: Timers;
  readonly #sorter: LogSorter;
  #timer: CancelTimer | undefined;
  #sortTimer: CancelTimer | undefined;
  #immediate: CancelTimer | undefined;
  #lastFlush = 0;
  /** The number of runs in the last flush. */
  #lastRuns = 0;
  /** How many consecutive flushes skipped a run because its thread was locked. */
  #blockedFlushes = 0;

  constructor(parts: RunLogParts) {
    this.#parts = parts;
    this.#timers = parts.timers ?? REAL_TIMERS;
    this.#sorter = new LogSorter(parts.worker, parts.sortAfterMs);
  }

  /** `lastSeq` is the position of the last event in the run's log. `onLost` is called at most once. */
  open(run: RunRecord, lastSeq: number, onLost: () => void): RunWriter {
    // The run was lost to another process and came back. Its older attempt may not know that yet.
    this.#writers.get(run.runId)?.lose();
    this.#pending.delete(run.runId);
    const { tails } = this.#parts;
    tails.open(run.runId, lastSeq, run.epochs);
    const writer = new Writer({
      run,
      lastSeq,
      onLost,
      tails,
      enqueue: (report) => this.#enqueue(writer, report),
      hurry: () => this.#hurry(),
      close: () => this.#close(writer),
    });
    this.#writers.set(run.runId, writer);
    return writer;
  }

  async #close(writer: Writer): Promise<void> {
    // The next process that claims the run reads the run's own rows.
    while (this.#sorter.has(writer)) {
      this.#sorter.hasten(writer);
      await (this.#flushing ?? this.#flush());
    }
    const { runId } = writer.run;
    if (this.#writers.get(runId) !== writer) return;
    this.#writers.delete(runId);
    this.#parts.tails.close(runId);
  }

  /** Resolves when nothing is pending and all events are in the runs' own rows. */
  async idle(): Promise<void> {
    while (this.#flushing !== undefined || this.#pending.size > 0 || this.#dueIn() !== undefined) {
      this.#sorter.hastenAll();
      await (this.#flushing ?? this.#flush());
    }
    await this.#shown;
  }

  #dueIn(): number | undefined {
    return this.#sorter.dueIn(this.#timers.elapsed());
  }

  #enqueue(writer: Writer, report: RunReport): PendingRun {
    let pending = this.#pending.get(writer.run.runId);
    if (pending === undefined) {
      pending = new PendingRun(writer);
      this.#pending.set(writer.run.runId, pending);
    }
    pending.add(report);
    this.#reports++;
    this.#schedule();
    return pending;
  }

  #hurry(): void {
    if (this.#isHurried || this.#pending.size === 0) return;
    this.#isHurried = true;
    this.#timer?.();
    this.#timer = undefined;
    this.#schedule();
  }

  /** Writes the first report after a pause immediately, and those that follow together. */
  #schedule(): void {
    if (this.#flushing !== undefined || this.#immediate !== undefined) return;
    if (this.#reports >= MAX_PENDING_REPORTS + this.#lastRuns * MAX_PENDING_REPORTS_PER_RUN) {
      // Not a timer: timers wait while the network delivers more and more.
      this.#immediate = this.#timers.soon(() => void this.#flush());
      return;
    }
    if (this.#timer !== undefined) return;
    const due = this.#lastFlush + this.#interval() - this.#timers.elapsed();
    // The shortest timer takes a millisecond, and a caller waits.
    if (this.#isHurried && due <= 0) this.#immediate = this.#timers.soon(() => void this.#flush());
    else this.#timer = this.#timers.after(Math.max(0, due), () => void this.#flush());
  }

  /**
   * Returns the milliseconds between two flushes, which grow with the number of reporting runs: 1,000 streams
   * on one core must leave time to read from their models.
   */
  #interval(): number {
    const runs = this.#lastRuns;
    const blocked = this.#blockedFlushes > QUICK_TRIES ? BLOCKED_MS : 0;
    const usual = Math.max(this.#parts.flushIntervalMs, Math.min(MAX_MS, runs * MS_PER_RUN), blocked);
    return this.#isHurried ? Math.min(usual, runs * HURRIED_MS_PER_RUN) : usual;
  }

  #flush(): Promise<void> {
    this.#timer?.();
    this.#immediate?.();
    this.#sortTimer?.();
    this.#timer = undefined;
    this.#sortTimer = undefined;
    this.#immediate = undefined;
    this.#flushing ??= this.#writePending().finally(() => {
      this.#flushing = undefined;
      this.#lastFlush = this.#timers.elapsed();
      if (this.#pending.size > 0) this.#schedule();
      else this.#sortLater();
    });
    return this.#flushing;
  }

  /** Moves events that runs logged before falling silent to their own rows as well. */
  #sortLater(): void {
    const due = this.#dueIn();
    if (due !== undefined) this.#sortTimer ??= this.#timers.idlyAfter(due, () => void this.#flush());
  }

  /**
   * While the disk is busy with one flush, the next one may commit, but no more: waiting flushes are merged.
   */
  async #writePending(): Promise<void> {
    await this.#shownBefore;
    // The runs of a fenced worker do not belong to its successor in this process.
    for (const { writer } of this.#pending.values())
      if (writer.run.leaseOwner !== this.#parts.worker.id) writer.lose();
    // After a failed write, nothing that follows may be written: the log would have a hole.
    const batch = [...this.#pending.values()].filter(({ writer }) => !writer.isLost);
    this.#pending = new Map();
    this.#reports = 0;
    this.#isHurried = false;
    if (batch.length > 0) this.#lastRuns = batch.length;
    const planned = this.#sorter.plan(batch, this.#timers.elapsed());
    this.#settle(batch, await this.#commit(planned));
  }

  #settle(batch: readonly PendingRun[], { plan, lost, blocked }: Committed): void {
    this.#sorter.written(plan, { lost, blocked }, this.#timers.elapsed());
    this.#blockedFlushes = blocked.size > 0 ? this.#blockedFlushes + 1 : 0;
    const written: PendingRun[] = [];
    for (const pending of batch) {
      if (lost.has(pending.writer.run.runId)) pending.writer.lose();
      else if (blocked.has(pending.writer.run.runId)) this.#putBack(pending);
      else written.push(pending);
    }
    for (const writer of plan.sorted) if (lost.has(writer.run.runId)) writer.lose();
    const sorted = plan.sorted.map(({ run }) => run.runId);
    this.#parts.onSorted?.(sorted.filter((runId) => !lost.has(runId) && !blocked.has(runId)));
    this.#shownBefore = this.#shown;
    this.#shown = this.#show(written, this.#shownBefore);
  }

  async #show(written: readonly PendingRun[], before: Promise<void>): Promise<void> {
    await this.#patiently(written.length, () => this.#parts.commits.onDisk());
    await before;
    for (const pending of written) pending.writer.committed(pending);
  }

  /** Puts a blocked report back, before what the run has reported since. */
  #putBack(pending: PendingRun): void {
    const { writer } = pending;
    if (writer.isLost) return;
    const { runId } = writer.run;
    const newer = this.#pending.get(runId);
    if (newer !== undefined) pending.replaceWith(newer);
    else this.#reports += pending.reports;
    this.#pending.set(runId, pending);
    writer.waitsFor(pending);
  }

  async #commit(plan: FlushPlan): Promise<Committed> {
    const { changes, log } = plan;
    if (changes.length === 0 && log.pieces.length === 0 && log.sortedTo === undefined)
      return committed(plan, NOTHING_LEFT_OUT);
    try {
      return committed(plan, await this.#write(changes, log));
    } catch (error) {
      return this.#commitEach(plan, error);
    }
  }

  async #write(changes: readonly RunChange[], log: LogFlush): Promise<CommitOutcome> {
    const { commits, now } = this.#parts;
    const outcome = await this.#patiently(changes.length, () => commits.commit(changes, now(), log));
    this.#sorter.acknowledged(log);
    this.#parts.worker.acknowledge(log);
    return outcome;
  }

  /** Retries while the database is unavailable. */
  #patiently<T>(runs: number, call: () => Promise<T>): Promise<T> {
    const onWait = (err: unknown): void => this.#parts.log.warn({ err, runs }, 'runs wait for the database');
    return untilAvailable(call, { timers: this.#timers, onWait });
  }

  /** Writes each run alone, so that one that cannot be written does not fail the others. */
  async #commitEach(plan: FlushPlan, cause: unknown): Promise<Committed> {
    const { changes, sorted } = plan;
    const runIds = changes.map((change) => change.runId);
    this.#parts.log.error({ err: cause, runs: runIds }, 'a group commit failed');
    const log = withoutRemoval(plan.log);
    const lost = new Set<string>();
    const blocked = new Set<string>();
    const add = (outcome: CommitOutcome): void => {
      for (const runId of outcome.lost) lost.add(runId);
      for (const runId of outcome.blocked) blocked.add(runId);
    };
    const logged = log.pieces.map(({ runId }) => runId);
    add(await this.#writeAlone(logged, [], log));
    for (const change of changes)
      add(await this.#writeAlone([change.runId], [change], this.#sorter.header()));
    for (const writer of sorted) if (lost.has(writer.run.runId)) this.#sorter.keep(writer);
    return { plan: { ...plan, log }, lost, blocked };
  }

  /** Writes the changes. If that fails, these runs are lost. */
  async #writeAlone(
    runIds: readonly string[],
    changes: readonly RunChange[],
    log: LogFlush,
  ): Promise<CommitOutcome> {
    if (runIds.length === 0) return NOTHING_LEFT_OUT;
    try {
      return await this.#write(changes, log);
    } catch (error) {
      this.#parts.log.error({ err: error, runIds }, 'the reports of runs cannot be written');
      return { lost: runIds, blocked: [] };
    }
  }
}

const NOTHING_LEFT_OUT: CommitOutcome = { lost: [], blocked: [] };

function committed(plan: FlushPlan, { lost, blocked }: CommitOutcome): Committed {
  // Rows of the log stay for the blocked runs.
  const written = blocked.length === 0 ? plan : { ...plan, log: withoutRemoval(plan.log) };
  return { plan: written, lost: new Set(lost), blocked: new Set(blocked) };
}

function withoutRemoval({ workerId, flush, after, pieces }: LogFlush): LogFlush {
  return { workerId, flush, after, pieces };
}

interface Committed {
  /** The plan as it was written. */
  readonly plan: FlushPlan;
  readonly lost: ReadonlySet<string>;
  readonly blocked: ReadonlySet<string>;
}
