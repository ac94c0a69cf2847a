// Numbers events across the runs of a thread so that they never change and always rise: the order of the runs, and
// what of the numbers a reader has seen. No clock, no storage.
import { isTerminal, type RunRecord } from '../../../storage/runs.ts';
import { innerEvent, type LoggedEvent } from '../../log/log-event.ts';
import type { NumberedEvent, ProtocolEvent } from './protocol-event.ts';

/**
 * Numbers begin with the run's place, which rises from run to run, so they rise across runs without anything being
 * counted: a run makes far fewer events than this in a millisecond. Exact to the year 2109.
 */
const NUMBERS_PER_MS = 2_048;

/**
 * Each epoch of a run skips numbers, how many its name says: so an event that the database has lost and the one that came
 * in its place have different ones. More than the lost end of an epoch has events.
 */
const SKIPPED_AT_LEAST = 65_536;
const SKIPPED_BY_CHANCE = 8_388_608;
/** Sixteen times that, and the events, are what the place of a run holds; later epochs skip the least. */
const EPOCHS_BY_CHANCE = 16;

/** Where the numbers of the run begin: above those of the runs before it, and below the first one of its own. */
export function baseOf(run: RunRecord): number {
  return placeOf(run) * NUMBERS_PER_MS;
}

export class EventNumbers {
  #runId = '';
  #base = 0;
  #count = 0;
  #timestamp = 0;
  #epoch: string | undefined;
  #epochs = 0;

  begin(run: RunRecord): void {
    this.#runId = run.runId;
    this.#timestamp = startOf(run);
    this.#base = baseOf(run);
    this.#count = 0;
    this.#epoch = undefined;
    this.#epochs = 0;
  }

  /** Tells a reader that it was shown events of the run that are lost: in the place before the first one. */
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

  /** `events` are all events that the logged one was rendered to, wanted or not. */
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

/** Clients read from these ids whose start or end it is; the event itself has no room for the run. */
function prefixOf({ channel }: ProtocolEvent): string {
  return channel === 'lifecycle' ? 'synth:' : '';
}

/** Log events carry no time, but their ids do: UUIDv7 begins with milliseconds. */
function timeOf(event: ReturnType<typeof innerEvent>): number | undefined {
  if ('taskId' in event) return uuidTime(event.taskId);
  return 'messageId' in event ? uuidTime(event.messageId) : undefined;
}

function uuidTime(id: string): number | undefined {
  const hex = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id);
  return hex === null ? undefined : Number.parseInt(`${hex[1]}${hex[2]}`, 16);
}

/**
 * The first run to tell to somebody who comes now, out of the runs of the thread, newest first: the run that goes on,
 * or the latest one. A run that another was queued behind belongs to it: who was there for the one and lost the
 * connection must not miss the end of the other.
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

/**
 * Runs of a thread in the order of their numbers; then those that have no place yet, as they were accepted. A run that is
 * cancelled while it waits comes after the one that runs.
 */
export function inOrder(runs: readonly RunRecord[]): readonly RunRecord[] {
  return runs.toSorted(
    (one, other) => rank(one) - rank(other) || time(one) - time(other) || byId(one, other),
  );
}

function rank({ numbersFrom }: RunRecord): number {
  return numbersFrom === null ? 1 : 0;
}

function time({ numbersFrom, createdAt }: RunRecord): number {
  return numbersFrom ?? createdAt;
}

/** Where the numbers of its events begin. */
function placeOf(run: RunRecord): number {
  return run.numbersFrom ?? startOf(run);
}

/** When the run was first taken up; a run that never was: when it ended. */
function startOf({ startedAt, finishedAt, createdAt }: RunRecord): number {
  return startedAt ?? finishedAt ?? createdAt;
}

function byId(one: RunRecord, other: RunRecord): number {
  return one.runId < other.runId ? -1 : 1;
}

/** Is told the events of the thread from the first one on that a reader is told now, run after run. */
export class SeenNumbers {
  /** Events up to this number were seen; absent once it is found among them. */
  #through: number | undefined;
  readonly #isHidden: boolean;

  /** `isHidden`: what was seen is not shown again. */
  constructor(through: number | undefined, isHidden: boolean) {
    this.#through = through;
    this.#isHidden = isHidden;
  }

  /** Whether no event that was told so far has the number. */
  get isOpen(): boolean {
    return this.#through !== undefined;
  }

  /** Whether the number is none of those that follow `base`. */
  isBefore(base: number): boolean {
    return this.#through !== undefined && this.#through <= base;
  }

  /** What of the events is to be shown; `lost`: the number stands between them and is that of none. */
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

  /** Everything that follows is to be shown. */
  forget(): void {
    this.#through = undefined;
  }
}
