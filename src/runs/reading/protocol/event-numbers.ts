// Numbers events across the runs of a thread so that numbers never change and always rise. Orders the runs,
// and finds which numbers a reader has seen. No clock, no storage.
import { isTerminal, type RunRecord } from '../../../storage/runs.ts';
import { innerEvent, type LoggedEvent } from '../../log/log-event.ts';
import type { NumberedEvent, ProtocolEvent } from './protocol-event.ts';

/** A run emits far fewer events per millisecond, so numbers rise across runs without a counter until 2109. */
const NUMBERS_PER_MS = 2_048;

/** Each epoch skips numbers by its name, so that a lost event and its replacement have different numbers. */
const SKIPPED_AT_LEAST = 65_536;
const SKIPPED_BY_CHANCE = 8_388_608;
/** The numbers of a run have capacity for so many skips and the events. Later epochs skip the minimum. */
const EPOCHS_BY_CHANCE = 16;

/** Returns where the run's numbers begin: above those of earlier runs, and below its own first one. */
export function baseOf(run: RunRecord): number {
  return (run.numbersFrom ?? startOf(run)) * NUMBERS_PER_MS;
}

/** Numbers the events of one run, which must come from the first one on. */
export class EventNumbers {
  readonly #runId: string;
  readonly #base: number;
  #count = 0;
  #timestamp: number;
  #epoch: string | undefined;
  #epochs = 0;

  constructor(run: RunRecord) {
    this.#runId = run.runId;
    this.#base = baseOf(run);
    this.#timestamp = startOf(run);
  }

  /** Returns the report that shown events of the run are lost, numbered before its first event. */
  replaced(epoch: string | undefined): NumberedEvent {
    const payload = { type: 'stream_replaced', run_id: this.#runId, recovery: 'reload_state' };
    return {
      channel: 'custom',
      method: 'custom',
      namespace: [],
      name: payload.type,
      data: () => JSON.stringify({ name: payload.type, payload }),
      eventId: `${this.#runId}:0-0-${epoch ?? 'lost'}`,
      seq: this.#base,
      timestamp: this.#timestamp,
      beginsAnew: true,
    };
  }

  /** Numbers events. `events` are all those that the logged event was rendered to, wanted or not. */
  number({ seq, epoch, event }: LoggedEvent, events: readonly ProtocolEvent[]): readonly NumberedEvent[] {
    if (epoch !== undefined && epoch !== this.#epoch) this.#enter(epoch);
    this.#timestamp = Math.max(this.#timestamp, timeOf(innerEvent(event)) ?? 0);
    const end = epoch === undefined ? '' : `-${epoch}`;
    return events.map((it, index) => {
      this.#count += 1;
      return {
        ...it,
        eventId: `${prefixOf(it)}${this.#runId}:${seq}-${index}${end}`,
        seq: this.#base + this.#count,
        timestamp: this.#timestamp,
      };
    });
  }

  #enter(epoch: string): void {
    this.#epoch = epoch;
    this.#epochs += 1;
    const byChance = this.#epochs > EPOCHS_BY_CHANCE ? 0 : Number.parseInt(epoch, 36) % SKIPPED_BY_CHANCE;
    this.#count += SKIPPED_AT_LEAST + byChance;
  }
}

/** Marks ids from which clients read whose start or end it is: the event has no field for the run. */
function prefixOf({ channel }: ProtocolEvent): string {
  return channel === 'lifecycle' ? 'synth:' : '';
}

/** Returns the time in an event's ids, since log events carry none: UUIDv7 begins with milliseconds. */
function timeOf(event: ReturnType<typeof innerEvent>): number | undefined {
  if ('taskId' in event) return uuidTime(event.taskId);
  return 'messageId' in event ? uuidTime(event.messageId) : undefined;
}

function uuidTime(id: string): number | undefined {
  const hex = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id);
  return hex === null ? undefined : Number.parseInt(`${hex[1]}${hex[2]}`, 16);
}

/**
 * Returns the first run to show to a new reader, out of the thread's runs, newest first: the run in progress,
 * or the latest one. Includes runs behind which it was queued: a reader who followed one of those and lost
 * the connection must not miss its end.
 */
export function firstRun(newestFirst: readonly RunRecord[]): RunRecord | undefined {
  const [latest, ...earlier] = newestFirst;
  let first = latest;
  for (const run of earlier) {
    if (first === undefined || !isQueuedBehind(first, run)) break;
    first = run;
  }
  return first;
}

function isQueuedBehind(run: RunRecord, earlier: RunRecord): boolean {
  return !isTerminal(earlier.status) || (earlier.finishedAt ?? 0) > run.createdAt;
}

/** Returns the runs by their numbers, then those without numbers, by admission. */
export function inOrder(runs: readonly RunRecord[]): readonly RunRecord[] {
  return runs.toSorted(
    (one, other) => rank(one) - rank(other) || time(one) - time(other) || (one.runId < other.runId ? -1 : 1),
  );
}

function rank({ numbersFrom }: RunRecord): number {
  return numbersFrom === null ? 1 : 0;
}

function time({ numbersFrom, createdAt }: RunRecord): number {
  return numbersFrom ?? createdAt;
}

/** Returns when the run was first claimed, or when it ended if it never was. */
function startOf({ startedAt, finishedAt, createdAt }: RunRecord): number {
  return startedAt ?? finishedAt ?? createdAt;
}

/** Receives the thread's events, run after run, from the first one that the reader is shown now. */
export class SeenNumbers {
  /** Events up to this number were seen; absent once the number is found. */
  #through: number | undefined;
  readonly #isHidden: boolean;

  /** `isHidden` means that seen events are not shown again. */
  constructor(through: number | undefined, isHidden: boolean) {
    this.#through = through;
    this.#isHidden = isHidden;
  }

  /** True when no event so far has the number. */
  get isOpen(): boolean {
    return this.#through !== undefined;
  }

  /** True when the number is not among those that follow `base`. */
  isBefore(base: number): boolean {
    return this.#through !== undefined && this.#through <= base;
  }

  /** Returns the events to show; `lost` when the number lies between them but belongs to none. */
  unseen(events: readonly NumberedEvent[]): readonly NumberedEvent[] | 'lost' {
    const through = this.#through;
    if (through === undefined) return events;
    const next = events.findIndex(({ seq }) => seq > through);
    const seen = next < 0 ? events.length : next;
    const isFound = events[seen - 1]?.seq === through;
    if (next >= 0 && !isFound) return 'lost';
    if (isFound) this.forget();
    return this.#isHidden ? events.slice(seen) : events;
  }

  /** Makes everything that follows visible. */
  forget(): void {
    this.#through = undefined;
  }
}
