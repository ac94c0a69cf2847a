// The field of the state that replaces a thread's older messages in prompts. Pure, like the state.
import { z } from 'zod';
import { type JsonObject, type Message, REMOVE_ALL_MESSAGES, type RemoveMessage } from './message.ts';
import { oncePerObject } from './once-per-object.ts';
import type { StateDelta, ThreadState } from './thread-state.ts';

const FIELD = 'summary';

const storedSummary = z.object({
  text: z.string().min(1),
  /** The newest message that the summary covers: the one at `message_count - 1`. */
  up_to_message_id: z.string(),
  /** How many messages it covers, starting with the first one of the thread. They stay in the state. */
  message_count: z.int().positive(),
  /** The indexes of the system messages among them. */
  instructions_at: z.array(z.int().nonnegative()),
  /** How many messages the thread had when the summary was written. */
  thread_length: z.int().positive(),
});

export type ThreadSummary = z.output<typeof storedSummary>;

/** Returns the state's summary; `undefined` if there is none, or if the state lacks its messages. */
export function summaryOf({ messages, values }: ThreadState): ThreadSummary | undefined {
  const stored = values[FIELD];
  const summary = typeof stored === 'object' && stored !== null ? parsed(stored) : undefined;
  if (summary === undefined) return undefined;
  return messages[summary.message_count - 1]?.id === summary.up_to_message_id ? summary : undefined;
}

/** Returns the same summary for the same value of the state on every call. */
const parsed = oncePerObject((value: object) => storedSummary.safeParse(value).data);

export function summaryValues(summary: ThreadSummary | null): JsonObject {
  return { [FIELD]: summary };
}

/** Returns the edit, which also removes the summary if it touches messages that the summary covers. */
export function withoutStaleSummary(state: ThreadState, delta: StateDelta): StateDelta {
  const summary = summaryOf(state);
  if (summary === undefined) return delta;
  const summarised = state.messages.slice(0, summary.message_count);
  const isStale = delta.messages.some((change) => changesOneOf(summarised, change));
  return isStale ? { ...delta, values: { ...delta.values, ...summaryValues(null) } } : delta;
}

function changesOneOf(messages: readonly Message[], change: Message | RemoveMessage): boolean {
  return change.id === REMOVE_ALL_MESSAGES || messages.some(({ id }) => id === change.id);
}
