// The data of a frame that shows a state or a part of one. It may be megabytes long and then stays in pieces.
import type { JsonObject, Message, RemoveMessage } from '../../../messages/message.ts';
import { serializedMessage } from '../../../messages/serialized-message.ts';
import {
  piecesOfMessages,
  piecesOfValues,
  type StateDelta,
  serializedMessages,
  serializedUpdate,
  serializedValues,
  type ThreadState,
} from '../../../messages/thread-state.ts';
import type { StateWritten } from '../../log/log-event.ts';
import type { Frame } from '../../request/stream-modes.ts';
import type { FrameContext } from './frame-context.ts';

/** JSON text, in pieces when it is long. */
export type FrameText = Frame['data'];

/** Messages that are longer together are not joined into one text. */
const LONG = 65_536;

/** Returns the JSON text of the values of a state or of a change, with the added fields. */
export function valuesText(state: ThreadState | StateDelta, added?: JsonObject): FrameText {
  const length = charactersOf(state.messages);
  if (length < LONG) return serializedValues(state, added);
  const { messages, values } = state;
  return { length, pieces: () => piecesOfValues({ messages, values: { ...values, ...added } }) };
}

/** Returns one node's changes, as an `updates` frame shows them. */
export function updateText(delta: StateDelta): FrameText {
  return delta.messages.length === 0 ? serializedUpdate(delta) : valuesText(delta);
}

export function messagesText(messages: readonly Message[]): FrameText {
  const length = charactersOf(messages);
  if (length < LONG) return serializedMessages(messages);
  return { length, pieces: () => piecesOfMessages(messages) };
}

/** Returns the text between two others. A text in pieces stays in pieces. */
export function within(before: string, text: FrameText, after: string): FrameText {
  if (typeof text === 'string') return before + text + after;
  const length = before.length + text.length + after.length;
  return { length, pieces: () => around(before, text.pieces(), after) };
}

function* around(before: string, pieces: Iterable<string>, after: string): Generator<string> {
  yield before;
  yield* pieces;
  yield after;
}

function charactersOf(messages: readonly (Message | RemoveMessage)[]): number {
  return messages.reduce(
    (sum, message) => sum + (message.type === 'remove' ? 0 : serializedMessage(message).text.length),
    0,
  );
}

export function checkpointText(
  event: StateWritten,
  { threadId, namespace }: FrameContext,
  state: ThreadState,
): FrameText {
  const { checkpointId, parentId, source, step, next } = event;
  const at = (id: string): JsonObject => ({
    thread_id: threadId,
    checkpoint_ns: namespace,
    checkpoint_id: id,
  });
  const config = (id: string | null): JsonObject | null => (id === null ? null : { configurable: at(id) });
  const place = (id: string | null): JsonObject | null =>
    id === null ? null : { ...at(id), checkpoint_map: null };
  const fields = {
    config: config(checkpointId),
    parent_config: config(parentId),
    checkpoint: place(checkpointId),
    parent_checkpoint: place(parentId),
    metadata: { source, step, parents: {} },
    next,
    tasks: waitingTasks(event),
  };
  return within('{"values":', valuesText(state), `,${JSON.stringify(fields).slice(1)}`);
}

function waitingTasks({ checkpointId, taskId, node, next, interrupts = [] }: StateWritten): JsonObject[] {
  if (node !== null && interrupts.length > 0) return [waitingTask(taskId, node, interrupts)];
  return next.map((name) => waitingTask(`${checkpointId}:${name}`, name, []));
}

function waitingTask(id: string, name: string, interrupts: StateWritten['interrupts'] = []): JsonObject {
  return { id, name, path: ['__pregel_pull', name], interrupts };
}
