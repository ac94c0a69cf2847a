// Group commit: what all runs of the process report goes into one transaction every few milliseconds.
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { StateDelta } from '../messages/thread-state.ts';
import type { NewCheckpoint } from '../storage/checkpoints.ts';
import type { RunChange, RunCommits, ThreadChange } from '../storage/run-commits.ts';
import type { NewRunEvent } from '../storage/run-events.ts';
import type { RunPatch, RunRecord } from '../storage/runs.ts';
import type { LogEvent, LoggedEvent } from './log-event.ts';
import type { RunTails } from './run-tails.ts';
import { type CancelTimer, pause, REAL_TIMERS, type Timers } from './timers.ts';

/** What a run reports at once; all of it becomes durable in the same transaction. */
export interface RunReport {
  readonly events?: readonly { readonly event: LogEvent; readonly delta?: StateDelta }[];
  readonly record?: readonly NewRunEvent[];
  readonly checkpoint?: NewCheckpoint;
  readonly run?: RunPatch;
  readonly thread?: ThreadChange;
}

/** Another process took the run over, or somebody deleted it: nothing this one writes counts any more. */
export class RunLostError extends Error {
  override readonly name = 'RunLostError';
}

/** The pen of one attempt of one run. */
export interface RunWriter {
  append(report: RunReport): void;
  /** Resolves when everything appended so far is durable and shown to readers; throws `RunLostError`. */
  durable(): Promise<void>;
  /** Back-pressure: resolves at once while little is pending, else when it was written; throws like `durable`. */
  room(): Promise<void> | undefined;
  /** No more reports; readers find the run in storage. */
  close(): void;
}

export interface RunLog {
  /** `lastSeq` is the place of the last event in the run's log; `onLost` is called at most once. */
  open(run: RunRecord, lastSeq: number, onLost: () => void): RunWriter;
  /** Resolves when nothing is pending. */
  idle(): Promise<void>;
}

interface RunLogParts {
  readonly commits: RunCommits;
  readonly tails: RunTails;
  readonly log: Log;
  readonly now: () => number;
  readonly flushIntervalMs: number;
  readonly timers?: Timers;
}

const MAX_PENDING_REPORTS = 256;
const MAX_PENDING_CHARACTERS_PER_RUN = 1_000_000;
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
    if (this.#reports >= MAX_PENDING_REPORTS) {
      // Not a timer: those wait while the network brings more and more.
      this.#immediate = this.#timers.soon(() => void this.#flush());
    } else if (this.#timer === undefined) {
      const due = this.#lastFlush + this.#parts.flushIntervalMs - this.#timers.elapsed();
      this.#timer = this.#timers.after(Math.max(0, due), () => void this.#flush());
    }
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

/** What one run reported since the last transaction. */
class PendingRun {
  readonly writer: Writer;
  readonly #texts: string[] = [];
  readonly #events: LoggedEvent[] = [];
  readonly #record: NewRunEvent[] = [];
  readonly #checkpoints: NewCheckpoint[] = [];
  #run: RunPatch | undefined;
  #thread: ThreadChange | undefined;
  #reports = 0;
  characters = 0;

  constructor(writer: Writer) {
    this.writer = writer;
  }

  get events(): readonly LoggedEvent[] {
    return this.#events;
  }

  get reports(): number {
    return this.#reports;
  }

  add(report: RunReport): void {
    this.#reports++;
    for (const { event, delta } of report.events ?? []) {
      const text = JSON.stringify(event);
      this.characters += text.length;
      this.#texts.push(text);
      const seq = this.writer.nextSeq();
      this.#events.push(delta === undefined ? { seq, event } : { seq, event, delta });
    }
    if (report.record !== undefined) this.#record.push(...report.record);
    if (report.checkpoint !== undefined) this.#checkpoints.push(report.checkpoint);
    if (report.run !== undefined) this.#run = { ...this.#run, ...report.run };
    if (report.thread !== undefined) this.#thread = { ...this.#thread, ...report.thread };
  }

  change(): RunChange {
    const { runId, threadId, userId, attempt } = this.writer.run;
    const firstSeq = this.#events[0]?.seq;
    const lastSeq = this.#events.at(-1)?.seq;
    const noFrames = firstSeq === undefined || lastSeq === undefined;
    return {
      runId,
      threadId,
      userId,
      attempt,
      frames: noFrames ? undefined : { firstSeq, lastSeq, attempt, events: `[${this.#texts.join(',')}]` },
      events: this.#record,
      checkpoints: this.#checkpoints,
      run: this.#run,
      thread: this.#thread,
    };
  }
}

interface WriterParts {
  readonly run: RunRecord;
  readonly lastSeq: number;
  readonly onLost: () => void;
  readonly tails: RunTails;
  readonly enqueue: (report: RunReport) => PendingRun;
  readonly close: () => void;
}

class Writer implements RunWriter {
  readonly run: RunRecord;
  readonly #parts: WriterParts;
  #seq: number;
  #reported = 0;
  #committed = 0;
  #lost = false;
  #pending: PendingRun | undefined;
  #progress = Promise.withResolvers<void>();

  constructor(parts: WriterParts) {
    this.run = parts.run;
    this.#parts = parts;
    this.#seq = parts.lastSeq;
  }

  get isLost(): boolean {
    return this.#lost;
  }

  nextSeq(): number {
    return ++this.#seq;
  }

  append(report: RunReport): void {
    if (this.#lost) return;
    this.#reported++;
    this.#pending = this.#parts.enqueue(report);
  }

  async durable(): Promise<void> {
    const target = this.#reported;
    while (this.#committed < target) {
      this.#throwIfLost();
      await this.#progress.promise;
    }
    this.#throwIfLost();
  }

  room(): Promise<void> | undefined {
    const full = (this.#pending?.characters ?? 0) > MAX_PENDING_CHARACTERS_PER_RUN;
    return full || this.#lost ? this.durable() : undefined;
  }

  close(): void {
    this.#parts.close();
  }

  committed(pending: PendingRun): void {
    if (this.#pending === pending) this.#pending = undefined;
    this.#committed += pending.reports;
    // Whoever took the run over has read what was written before.
    if (this.#lost) return;
    this.#parts.tails.publish(this.run.runId, pending.events);
    this.#signal();
  }

  lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#signal();
    this.#parts.onLost();
  }

  #signal(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  #throwIfLost(): void {
    if (this.#lost) throw new RunLostError(`run ${this.run.runId} is no longer executed here`);
  }
}
