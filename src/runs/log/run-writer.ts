// The writer of one attempt of a run. Its numbered events wait here for the next transaction of the log.
import type { StateDelta } from '../../messages/thread-state.ts';
import type { NewBackgroundTask } from '../../storage/background-tasks.ts';
import type { NewCheckpoint } from '../../storage/checkpoints.ts';
import type { FrameRow } from '../../storage/frames.ts';
import type { RunChange, RunPieces, ThreadChange } from '../../storage/run-commits.ts';
import type { MessageRevision, NewRunEvent } from '../../storage/run-events.ts';
import type { RunPatch, RunRecord } from '../../storage/runs.ts';
import type { SpentCall } from '../../storage/usage.ts';
import type { LogEvent, LoggedEvent } from './log-event.ts';
import type { RunTails } from './run-tails.ts';

/** What a run reports together. All of it becomes durable in the same transaction. */
export interface RunReport {
  readonly events?: readonly { readonly event: LogEvent; readonly delta?: StateDelta }[];
  readonly record?: readonly NewRunEvent[];
  readonly checkpoint?: NewCheckpoint;
  /** What the checkpoint does to existing messages. */
  readonly revisions?: readonly MessageRevision[];
  /** Ids of existing messages that the checkpoint repeats. */
  readonly repeated?: readonly string[];
  readonly run?: RunPatch;
  /** A model call that ended. The totals in `run` include it. */
  readonly spent?: SpentCall;
  /** A background task, started by a call whose result is among the events. */
  readonly backgroundTask?: NewBackgroundTask;
  /** Budget reservations of finished calls; `all` for those of the run. */
  readonly released?: readonly string[] | 'all';
  readonly thread?: ThreadChange;
}

/** Another process took the run over, or it was deleted. Writes of this attempt no longer count. */
export class RunLostError extends Error {
  override readonly name = 'RunLostError';
}

export interface RunWriter {
  append(report: RunReport): void;
  /** Shortens the wait for more events, because a caller waits for what was appended so far. */
  hurry(): void;
  /** Resolves when everything appended so far is durable and shown to readers; throws `RunLostError`. */
  durable(): Promise<void>;
  /** Back-pressure. Returns `undefined` if little is pending; else resolves once written, like `durable`. */
  capacity(): Promise<void> | undefined;
  /** Accepts no more reports. Resolves when readers find all events of the run in its own rows. */
  close(): Promise<void>;
}

const MAX_PENDING_CHARACTERS_PER_RUN = 1_000_000;

/** Events of a run that are in the common log and not in its own rows. */
export interface UnsortedPieces {
  readonly firstSeq: number;
  /** The events as they are stored. */
  readonly texts: readonly string[];
}

/** What one run has reported since the last transaction. */
export class PendingRun {
  readonly writer: Writer;
  readonly #texts: string[] = [];
  readonly #events: LoggedEvent[] = [];
  /** Reports of more than events. */
  readonly #others: RunReport[] = [];
  #reports = 0;
  characters = 0;

  constructor(writer: Writer) {
    this.writer = writer;
  }

  get events(): readonly LoggedEvent[] {
    return this.#events;
  }

  /** The events as they are stored. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  get reports(): number {
    return this.#reports;
  }

  /** True when there are events and nothing else. */
  get isPieces(): boolean {
    return this.#others.length === 0 && this.#events.length > 0;
  }

  add(report: RunReport): void {
    this.#reports++;
    for (const { event, delta } of report.events ?? []) {
      const text = JSON.stringify(event);
      this.characters += text.length;
      this.#texts.push(text);
      const seq = this.writer.nextSeq();
      const { epoch } = this.writer;
      this.#events.push(delta === undefined ? { seq, epoch, event } : { seq, epoch, event, delta });
    }
    if (!saysOnly(report)) this.#others.push(report);
  }

  /** Appends what was reported after it. */
  replaceWith(newer: PendingRun): void {
    this.#reports += newer.#reports;
    this.characters += newer.characters;
    this.#texts.push(...newer.#texts);
    this.#events.push(...newer.#events);
    this.#others.push(...newer.#others);
  }

  /** Returns the row for the common log. Only valid for pieces. */
  pieces(): RunPieces {
    return { runId: this.writer.run.runId, ...this.#row(this.#firstSeq, this.#texts) };
  }

  get #firstSeq(): number {
    return this.#events[0]?.seq ?? 0;
  }

  #row(firstSeq: number, texts: readonly string[]): FrameRow {
    const { attempt } = this.writer.run;
    return { firstSeq, lastSeq: firstSeq + texts.length - 1, attempt, events: `[${texts.join(',')}]` };
  }

  /** Returns the change, including the events that the run has logged before. There may be nothing else. */
  change(unsorted: UnsortedPieces | undefined): RunChange {
    const texts = [...(unsorted?.texts ?? []), ...this.#texts];
    const firstSeq = unsorted?.firstSeq ?? this.#firstSeq;
    const others = this.#others;
    const { runId, threadId, userId, attempt } = this.writer.run;
    return {
      runId,
      threadId,
      userId,
      attempt,
      frames: texts.length === 0 ? undefined : this.#row(firstSeq, texts),
      events: others.flatMap(({ record = [] }) => record),
      checkpoints: others.flatMap(({ checkpoint }) => checkpoint ?? []),
      revisions: others.flatMap(({ revisions = [] }) => revisions),
      repeated: others.flatMap(({ repeated = [] }) => repeated),
      run: merged(others.map(({ run }) => run)),
      spent: others.flatMap(({ spent }) => spent ?? []),
      backgroundTasks: others.flatMap(({ backgroundTask }) => backgroundTask ?? []),
      released: others.reduce(allReleased, []),
      thread: merged(others.map(({ thread }) => thread)),
    };
  }
}

/** True for a report of nothing but events, for which the common log is enough. */
function saysOnly(report: RunReport): boolean {
  // Key by key: a copy of every piece would cost more than storing it.
  for (const key in report) if (key !== 'events' && key !== 'record') return false;
  return (report.record?.length ?? 0) === 0;
}

/** Merges later patches over earlier ones; `undefined` when there is none. */
function merged<Patch extends object>(patches: readonly (Patch | undefined)[]): Patch | undefined {
  let all: Patch | undefined;
  for (const patch of patches) all = all && patch ? { ...all, ...patch } : (patch ?? all);
  return all;
}

function allReleased(before: RunChange['released'], { released = [] }: RunReport): RunChange['released'] {
  return before === 'all' || released === 'all' ? 'all' : [...before, ...released];
}

interface WriterParts {
  readonly run: RunRecord;
  readonly lastSeq: number;
  readonly onLost: () => void;
  readonly tails: RunTails;
  readonly enqueue: (report: RunReport) => PendingRun;
  readonly hurry: () => void;
  readonly close: () => Promise<void>;
}

/** Numbers what the attempt reports, and notifies it when that is durable or the run is lost. */
export class Writer implements RunWriter {
  readonly run: RunRecord;
  readonly epoch: string | undefined;
  readonly #parts: WriterParts;
  #seq: number;
  #reported = 0;
  #committed = 0;
  #lost = false;
  #pending: PendingRun | undefined;
  #progress = Promise.withResolvers<void>();

  constructor(parts: WriterParts) {
    this.run = parts.run;
    this.epoch = parts.run.epochs.at(-1)?.name;
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

  hurry(): void {
    if (this.#pending !== undefined) this.#parts.hurry();
  }

  async durable(): Promise<void> {
    const target = this.#reported;
    this.hurry();
    while (this.#committed < target) {
      this.#throwIfLost();
      await this.#progress.promise;
    }
    this.#throwIfLost();
  }

  capacity(): Promise<void> | undefined {
    const full = (this.#pending?.characters ?? 0) > MAX_PENDING_CHARACTERS_PER_RUN;
    return full || this.#lost ? this.durable() : undefined;
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  /** Sets the pending reports with which the last report will be written. */
  waitsFor(pending: PendingRun): void {
    this.#pending = pending;
  }

  committed(pending: PendingRun): void {
    if (this.#pending === pending) this.#pending = undefined;
    this.#committed += pending.reports;
    // The worker that took the run over has read what was written before.
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
