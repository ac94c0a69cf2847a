// The JSON text of a message, made once and reused in frames, rows and states.
import { type Message, roleOf } from './message.ts';
import { oncePerObject } from './once-per-object.ts';

interface SerializedMessage {
  /** The dump shape with `role` beside `type`. */
  readonly text: string;
  /** Its length in UTF-8 bytes. */
  readonly bytes: number;
}

/** Returns the cached text. Messages are immutable, so it lives exactly as long as the message object. */
export const serializedMessage = oncePerObject((message: Message): SerializedMessage => {
  const text = JSON.stringify({ ...message, role: roleOf(message.type) });
  return { text, bytes: Buffer.byteLength(text) };
});
