// The pen of one attempt of one run: what it reported, numbered, waits here for the next transaction of the run log.
import type { StateDelta } from '../messages/thread-state.ts';
import type { NewBackgroundTask } from '../storage/background-tasks.ts';
import type { NewCheckpoint } from '../storage/checkpoints.ts';
import type { RunChange, ThreadChange } from '../storage/run-commits.ts';
import type { MessageRevision, NewRunEvent } from '../storage/run-events.ts';
import type { RunPatch, RunRecord } from '../storage/runs.ts';
import type { SpentCall } from '../storage/usage.ts';
import type { LogEvent, LoggedEvent } from './log-event.ts';
import type { RunTails } from './run-tails.ts';

/** What a run reports at once; all of it becomes durable in the same transaction. */
export interface RunReport {
  readonly events?: readonly { readonly event: LogEvent; readonly delta?: StateDelta }[];
  readonly record?: readonly NewRunEvent[];
  readonly checkpoint?: NewCheckpoint;
  /** What the checkpoint does to messages that were there. */
  readonly revisions?: readonly MessageRevision[];
  /** Ids of messages that it says though they were there. */
  readonly repeated?: readonly string[];
  readonly run?: RunPatch;
  /** A model call that ended; the totals with it are in `run`. */
  readonly spent?: SpentCall;
  /** A task that goes on behind the run, begun by a call whose result is among the events. */
  readonly backgroundTask?: NewBackgroundTask;
  /** Budget reservations of calls that are over; `all` those of the run. */
  readonly released?: readonly string[] | 'all';
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

const MAX_PENDING_CHARACTERS_PER_RUN = 1_000_000;

/** What one run reported since the last transaction. */
export class PendingRun {
  readonly writer: Writer;
  readonly #texts: string[] = [];
  readonly #events: LoggedEvent[] = [];
  readonly #record: NewRunEvent[] = [];
  readonly #checkpoints: NewCheckpoint[] = [];
  readonly #revisions: MessageRevision[] = [];
  readonly #repeated: string[] = [];
  readonly #spent: SpentCall[] = [];
  readonly #backgroundTasks: NewBackgroundTask[] = [];
  #released: readonly string[] | 'all' = [];
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
    this.#revisions.push(...(report.revisions ?? []));
    this.#repeated.push(...(report.repeated ?? []));
    if (report.backgroundTask !== undefined) this.#backgroundTasks.push(report.backgroundTask);
    this.#addSpending(report);
    if (report.run !== undefined) this.#run = { ...this.#run, ...report.run };
    if (report.thread !== undefined) this.#thread = { ...this.#thread, ...report.thread };
  }

  #addSpending({ spent, released }: RunReport): void {
    if (spent !== undefined) this.#spent.push(spent);
    if (released !== undefined) this.#released = allReleased(this.#released, released);
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
      revisions: this.#revisions,
      repeated: this.#repeated,
      run: this.#run,
      spent: this.#spent,
      backgroundTasks: this.#backgroundTasks,
      released: this.#released,
      thread: this.#thread,
    };
  }
}

function allReleased(
  before: readonly string[] | 'all',
  released: readonly string[] | 'all',
): readonly string[] | 'all' {
  return before === 'all' || released === 'all' ? 'all' : [...before, ...released];
}

interface WriterParts {
  readonly run: RunRecord;
  readonly lastSeq: number;
  readonly onLost: () => void;
  readonly tails: RunTails;
  readonly enqueue: (report: RunReport) => PendingRun;
  readonly close: () => void;
}

/** Gives places in the log to what the attempt reports, and tells it when that is durable or the run is lost. */
export class Writer implements RunWriter {
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
