// The data of a `values` frame: the whole state, which may be megabytes long.
import type { JsonObject } from '../../messages/message.ts';
import { serializedMessage } from '../../messages/serialized-message.ts';
import { piecesOfValues, serializedValues, type ThreadState } from '../../messages/thread-state.ts';
import type { Frame } from '../stream-modes.ts';

/** A state whose messages are longer is not made one text. */
const LONG = 65_536;

/** JSON text of the values of a state with what is added to them. */
export function valuesText(state: ThreadState, added?: JsonObject): Frame['data'] {
  const length = state.messages.reduce((sum, message) => sum + serializedMessage(message).text.length, 0);
  if (length < LONG) return serializedValues(state, added);
  const { messages, values } = state;
  return { length, pieces: () => piecesOfValues({ messages, values: { ...values, ...added } }) };
}
