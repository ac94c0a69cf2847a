// The JSON text of a message, made once and reused in frames, rows and states.
import { SLICE_CHARACTERS, textSlices } from '../text-slices.ts';
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
  const role = roleOf(message.type);
  if (isLong(message.content)) return joined(piecesOf({ ...message, role }));
  const text = JSON.stringify({ ...message, role });
  return { text, bytes: Buffer.byteLength(text) };
});

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > SLICE_CHARACTERS;
}

/** Yields what `JSON.stringify` returns. For megabytes in one string, that call would block the loop for longer. */
function* piecesOf(message: object): Generator<string, void, void> {
  let before = '{';
  for (const [key, value] of Object.entries(message)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    if (isLong(value)) yield* stringPieces(value);
    else yield JSON.stringify(value);
    before = ',';
  }
  yield '}';
}

function* stringPieces(text: string): Generator<string, void, void> {
  yield '"';
  for (const slice of textSlices([text])) yield JSON.stringify(slice).slice(1, -1);
  yield '"';
}

function joined(pieces: Iterable<string>): SerializedMessage {
  let text = '';
  let bytes = 0;
  for (const piece of pieces) {
    text += piece;
    // The bytes of the whole text would make it one string at once, instead of when it is first used.
    bytes += Buffer.byteLength(piece);
  }
  return { text, bytes };
}
