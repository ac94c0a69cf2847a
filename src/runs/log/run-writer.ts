// The writer of one attempt of one run: its numbered events wait here for the next transaction of the run log.
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

/** The writer of one attempt of one run. */
export interface RunWriter {
  append(report: RunReport): void;
  /** A caller waits for what was appended so far: do not wait for more events. */
  hurry(): void;
  /** Resolves when everything appended so far is durable and shown to readers; throws `RunLostError`. */
  durable(): Promise<void>;
  /** Back-pressure: resolves at once while little is pending, else when it was written; throws like `durable`. */
  capacity(): Promise<void> | undefined;
  /** No more reports. Resolves when readers find all that the run has said in its own rows. */
  close(): Promise<void>;
}

const MAX_PENDING_CHARACTERS_PER_RUN = 1_000_000;

/** What a run has in the common log and not in its own rows. */
export interface UnsortedPieces {
  readonly firstSeq: number;
  /** The events as they are stored. */
  readonly texts: readonly string[];
}

/** Of a run that reports nothing but pieces. */
const NOTHING_ELSE = {
  events: [],
  checkpoints: [],
  revisions: [],
  repeated: [],
  run: undefined,
  spent: [],
  backgroundTasks: [],
  released: [],
  thread: undefined,
} as const satisfies Partial<RunChange>;

/** What one run reported since the last transaction. */
export class PendingRun {
  readonly writer: Writer;
  readonly #texts: string[] = [];
  readonly #events: LoggedEvent[] = [];
  /** Those that report more than events. */
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

  /** It has said something, and reported nothing else. */
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

  /** With what was reported after it. */
  replaceWith(newer: PendingRun): void {
    this.#reports += newer.#reports;
    this.characters += newer.characters;
    this.#texts.push(...newer.#texts);
    this.#events.push(...newer.#events);
    this.#others.push(...newer.#others);
  }

  /** Of one that is pieces. */
  pieces(): RunPieces {
    return { runId: this.writer.run.runId, ...this.writer.row(this.#firstSeq, this.#texts) };
  }

  get #firstSeq(): number {
    return this.#events[0]?.seq ?? 0;
  }

  /** With what the run has logged before. */
  change(unsorted: UnsortedPieces | undefined): RunChange {
    const texts = [...(unsorted?.texts ?? []), ...this.#texts];
    const firstSeq = unsorted?.firstSeq ?? this.#firstSeq;
    const others = this.#others;
    return {
      ...this.writer.owned,
      frames: texts.length === 0 ? undefined : this.writer.row(firstSeq, texts),
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

/** Nothing but events, so that the common log is enough for it. */
function saysOnly(report: RunReport): boolean {
  // Looked at key by key: a copy of every piece would cost more than storing it.
  for (const key in report) if (key !== 'events' && key !== 'record') return false;
  return (report.record?.length ?? 0) === 0;
}

/** Later ones over earlier ones; `undefined` when there is none. */
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

/** Gives places in the log to what the attempt reports, and tells it when that is durable or the run is lost. */
export class Writer implements RunWriter {
  readonly run: RunRecord;
  /** The name of the epoch that it writes. */
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

  /** Whose the change is. */
  get owned(): Pick<RunChange, 'runId' | 'threadId' | 'userId' | 'attempt'> {
    const { runId, threadId, userId, attempt } = this.run;
    return { runId, threadId, userId, attempt };
  }

  row(firstSeq: number, texts: readonly string[]): FrameRow {
    const { attempt } = this.run;
    return { firstSeq, lastSeq: firstSeq + texts.length - 1, attempt, events: `[${texts.join(',')}]` };
  }

  /** Brings what the run has logged to its own rows. */
  sorting({ firstSeq, texts }: UnsortedPieces): RunChange {
    return { ...this.owned, ...NOTHING_ELSE, frames: this.row(firstSeq, texts) };
  }

  /** What it reported last is to be written with this. */
  waitsFor(pending: PendingRun): void {
    this.#pending = pending;
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
