// Numbers events across the runs of a thread so that they never change and always rise. No clock, no storage.
import type { RunRecord } from '../../storage/runs.ts';
import { type LoggedEvent, spoken } from '../log-event.ts';
import type { NumberedEvent, ProtocolEvent } from './protocol-event.ts';
import { placeOf, startOf } from './run-order.ts';

/**
 * Numbers begin with the run's place, which rises from run to run, so they rise across runs without anything being
 * counted: a run makes far fewer events than this in a millisecond. Exact to the year 2109.
 */
const NUMBERS_PER_MS = 2_048;

export class EventNumbers {
  #runId = '';
  #base = 0;
  #count = 0;
  #timestamp = 0;

  begin(run: RunRecord): void {
    this.#runId = run.runId;
    this.#timestamp = startOf(run);
    this.#base = placeOf(run) * NUMBERS_PER_MS;
    this.#count = 0;
  }

  /** `events` are all events that the logged one was rendered to, wanted or not. */
  number({ seq, event }: LoggedEvent, events: readonly ProtocolEvent[]): readonly NumberedEvent[] {
    this.#timestamp = Math.max(this.#timestamp, timeOf(spoken(event)) ?? 0);
    return events.map((it, index) => {
      this.#count += 1;
      return {
        ...it,
        eventId: `${prefixOf(it)}${this.#runId}:${seq}-${index}`,
        seq: this.#base + this.#count,
        timestamp: this.#timestamp,
      };
    });
  }
}

/** Clients read from these ids whose start or end it is; the event itself has no room for the run. */
function prefixOf({ channel }: ProtocolEvent): string {
  return channel === 'lifecycle' ? 'synth:' : '';
}

/** Log events carry no time, but their ids do: UUIDv7 begins with milliseconds. */
function timeOf(event: ReturnType<typeof spoken>): number | undefined {
  if ('taskId' in event) return uuidTime(event.taskId);
  return 'messageId' in event ? uuidTime(event.messageId) : undefined;
}

function uuidTime(id: string): number | undefined {
  const hex = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id);
  return hex === null ? undefined : Number.parseInt(`${hex[1]}${hex[2]}`, 16);
}
