// The older part of a thread's prompt, as the bytes that were sent: they are sent again, not encoded again.
import { isBeginning } from '../../messages/is-beginning.ts';
import type { Message } from '../../messages/message.ts';
import { isReply } from '../quirks/tool-pairing.ts';

/** What was sent for the first `count` messages of a thread. Every later prompt begins with it. */
export interface SentHistory {
  readonly messages: readonly Message[];
  readonly count: number;
  /** Instructions among these messages, which are sent elsewhere. */
  readonly system: readonly string[];
  /** JSON texts of the provider's messages with a comma after each. */
  readonly bytes: GrownBytes;
}

/** One per model. What it stores lives as long as the first message of the thread. */
export class SentHistories {
  readonly #newest = new WeakMap<Message, SentHistory>();

  /** Returns what is known of the first `count` of these messages, if a reply comes next. */
  beginningOf(messages: readonly Message[], count: number): SentHistory | undefined {
    const [first] = messages;
    const known = first && this.#newest.get(first);
    if (known === undefined || known.count > count || !isReply(messages[known.count])) return undefined;
    return isBeginning(known.messages, messages, known.count) ? known : undefined;
  }

  keep(history: SentHistory): void {
    const [first] = history.messages;
    if (first !== undefined) this.#newest.set(first, history);
  }
}

/** The first bytes of a buffer, to which others may have appended more. */
export interface GrownBytes {
  readonly buffer: { readonly bytes: Buffer; used: number };
  readonly length: number;
}

export const NO_BYTES: GrownBytes = { buffer: { bytes: Buffer.alloc(0), used: 0 }, length: 0 };

/** Spare capacity, so that a thread's bytes are not copied in every turn. */
const GROWTH = 1.25;

/** Returns the bytes with the text appended. The bytes before it stay as they were. */
export function grown({ buffer, length }: GrownBytes, text: string): GrownBytes {
  const all = length + Buffer.byteLength(text);
  const isExtended = buffer.used === length && all <= buffer.bytes.length;
  const target = isExtended
    ? buffer
    : { bytes: Buffer.allocUnsafeSlow(Math.ceil(all * GROWTH)), used: length };
  if (!isExtended) buffer.bytes.copy(target.bytes, 0, 0, length);
  target.bytes.write(text, length);
  target.used = all;
  return { buffer: target, length: all };
}

export function viewOf({ buffer, length }: GrownBytes): Buffer {
  return buffer.bytes.subarray(0, length);
}
