// The JSON text of a message, made once and reused in frames, rows and states.
import { type Message, roleOf } from './message.ts';

interface SerializedMessage {
  /** The dump shape with `role` beside `type`. */
  readonly text: string;
  /** Its length in UTF-8 bytes. */
  readonly bytes: number;
}

const cache = new WeakMap<Message, SerializedMessage>();

/** Returns the cached text. Messages are immutable, so it lives exactly as long as the message object. */
export function serializedMessage(message: Message): SerializedMessage {
  const known = cache.get(message);
  if (known !== undefined) return known;
  const text = JSON.stringify({ ...message, role: roleOf(message.type) });
  const made = { text, bytes: Buffer.byteLength(text) };
  cache.set(message, made);
  return made;
}
