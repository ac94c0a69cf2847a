// Group commit: what all runs of the process report goes into one transaction every few milliseconds.
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RunChange, RunCommits } from '../storage/run-commits.ts';
import type { RunRecord } from '../storage/runs.ts';
import { type CancelTimer, pause, REAL_TIMERS, type Timers } from '../timers.ts';
import type { RunTails } from './run-tails.ts';
import { PendingRun, type RunReport, type RunWriter, Writer } from './run-writer.ts';

export interface RunLog {
  /** `lastSeq` is the place of the last event in the run's log; `onLost` is called at most once. */
  open(run: RunRecord, lastSeq: number, onLost: () => void): RunWriter;
  /** Resolves when nothing is pending. */
  idle(): Promise<void>;
}

interface RunLogParts {
  readonly commits: Pick<RunCommits, 'commit'>;
  readonly tails: RunTails;
  readonly log: Log;
  readonly now: () => number;
  readonly flushIntervalMs: number;
  readonly timers?: Timers;
}

/** Not waited for any longer; more when many runs report, or each flush would be of a part of them. */
const MAX_PENDING_REPORTS = 256;
const MAX_PENDING_REPORTS_PER_RUN = 2;
/** A flush costs a row and a packet for each of its runs, be there one token in them or three. */
const INTERVAL_MS_PER_RUN = 0.04;
const MAX_INTERVAL_MS = 20;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

export function createRunLog(parts: RunLogParts): RunLog {
  return new GroupCommit(parts);
}

class GroupCommit implements RunLog {
  readonly #parts: RunLogParts;
  /** The writer of the newest attempt of each run that is executed here. */
  readonly #writers = new Map<string, Writer>();
  #pending = new Map<string, PendingRun>();
  #reports = 0;
  #flushing: Promise<void> | undefined;
  readonly #timers: Timers;
  #timer: CancelTimer | undefined;
  #immediate: CancelTimer | undefined;
  #lastFlush = 0;
  /** How many runs the last flush was of. */
  #lastRuns = 0;

  constructor(parts: RunLogParts) {
    this.#parts = parts;
    this.#timers = parts.timers ?? REAL_TIMERS;
  }

  open(run: RunRecord, lastSeq: number, onLost: () => void): RunWriter {
    // An attempt that was lost to another process and came back here: the older one may not know it yet.
    this.#writers.get(run.runId)?.lose();
    this.#pending.delete(run.runId);
    const { tails } = this.#parts;
    tails.open(run.runId, lastSeq);
    const writer = new Writer({
      run,
      lastSeq,
      onLost,
      tails,
      enqueue: (report) => this.#enqueue(writer, report),
      close: () => this.#close(writer),
    });
    this.#writers.set(run.runId, writer);
    return writer;
  }

  #close(writer: Writer): void {
    const { runId } = writer.run;
    if (this.#writers.get(runId) !== writer) return;
    this.#writers.delete(runId);
    this.#parts.tails.close(runId);
  }

  async idle(): Promise<void> {
    while (this.#flushing !== undefined || this.#pending.size > 0) {
      await (this.#flushing ?? this.#flush());
    }
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

  /** The first report after a pause is written at once, those that follow together. */
  #schedule(): void {
    if (this.#flushing !== undefined || this.#immediate !== undefined) return;
    if (this.#reports >= MAX_PENDING_REPORTS + this.#lastRuns * MAX_PENDING_REPORTS_PER_RUN) {
      // Not a timer: those wait while the network brings more and more.
      this.#immediate = this.#timers.soon(() => void this.#flush());
    } else if (this.#timer === undefined) {
      const due = this.#lastFlush + this.#interval() - this.#timers.elapsed();
      this.#timer = this.#timers.after(Math.max(0, due), () => void this.#flush());
    }
  }

  /** The more runs report at once, the longer: 1,000 streams on one core must leave time to read their models. */
  #interval(): number {
    const { flushIntervalMs } = this.#parts;
    return Math.max(flushIntervalMs, Math.min(MAX_INTERVAL_MS, this.#lastRuns * INTERVAL_MS_PER_RUN));
  }

  #flush(): Promise<void> {
    this.#timer?.();
    this.#immediate?.();
    this.#timer = undefined;
    this.#immediate = undefined;
    this.#flushing ??= this.#writePending().finally(() => {
      this.#flushing = undefined;
      this.#lastFlush = this.#timers.elapsed();
      if (this.#pending.size > 0) this.#schedule();
    });
    return this.#flushing;
  }

  async #writePending(): Promise<void> {
    // After what could not be written, nothing that follows may be: the log would have a hole.
    const batch = [...this.#pending.values()].filter(({ writer }) => !writer.isLost);
    this.#pending = new Map();
    this.#reports = 0;
    this.#lastRuns = batch.length;
    if (batch.length === 0) return;
    const lost = await this.#commit(batch);
    for (const pending of batch) {
      if (lost.has(pending.writer.run.runId)) pending.writer.lose();
      else pending.writer.committed(pending);
    }
  }

  async #commit(batch: readonly PendingRun[]): Promise<ReadonlySet<string>> {
    const changes = batch.map((pending) => pending.change());
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      try {
        return new Set(await this.#parts.commits.commit(changes, this.#parts.now()));
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'unavailable'))
          return this.#commitEach(changes, error);
        this.#parts.log.warn({ err: error, runs: batch.length }, 'runs wait for the database');
        await pause(this.#timers, wait);
      }
    }
  }

  /** One run with something that cannot be written must not take the others with it. */
  async #commitEach(changes: readonly RunChange[], cause: unknown): Promise<ReadonlySet<string>> {
    this.#parts.log.error(
      { err: cause, runs: changes.map((change) => change.runId) },
      'a group commit failed',
    );
    const lost = new Set<string>();
    for (const change of changes) {
      try {
        for (const runId of await this.#parts.commits.commit([change], this.#parts.now())) lost.add(runId);
      } catch (error) {
        this.#parts.log.error({ err: error, runId: change.runId }, 'what a run reported cannot be written');
        lost.add(change.runId);
      }
    }
    return lost;
  }
}
