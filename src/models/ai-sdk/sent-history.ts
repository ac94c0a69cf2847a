// The older part of a thread's prompt as the bytes that were sent of it: they are sent again, not made again.
//
// A package makes the request of all messages each time. So it is given a mark in the place of those whose bytes are
// known, and another one behind those that will be known next time; the body that it makes is cut at the marks.
import { isBeginning } from '../../messages/is-beginning.ts';
import type { Message } from '../../messages/message.ts';
import { isAnswer } from './quirks/empty-content.ts';

/** What was sent of the first `count` messages of a thread, and stands at the beginning of every later prompt of it. */
export interface SentHistory {
  readonly messages: readonly Message[];
  readonly count: number;
  /** Instructions among them, which are sent elsewhere. */
  readonly system: readonly string[];
  /** JSON texts of the provider's messages with a comma behind each. */
  readonly bytes: GrownBytes;
}

/** One a model. What it keeps lives as long as the first message of the thread. */
export class SentHistories {
  readonly #newest = new WeakMap<Message, SentHistory>();

  /** What the first `count` of these messages begin with, if it is known and an answer comes next. */
  beginningOf(messages: readonly Message[], count: number): SentHistory | undefined {
    const [first] = messages;
    const known = first && this.#newest.get(first);
    if (known === undefined || known.count > count || !isAnswer(messages[known.count])) return undefined;
    return isBeginning(known.messages, messages, known.count) ? known : undefined;
  }

  keep(history: SentHistory): SentHistory {
    const [first] = history.messages;
    if (first !== undefined) this.#newest.set(first, history);
    return history;
  }
}

/** The first bytes of a buffer in which others may have gone on after them. */
export interface GrownBytes {
  readonly buffer: SharedBuffer;
  readonly length: number;
}

interface SharedBuffer {
  readonly bytes: Buffer;
  used: number;
}

export const NO_BYTES: GrownBytes = { buffer: { bytes: Buffer.alloc(0), used: 0 }, length: 0 };

/** Room for what comes next, so that a thread's bytes are not copied in every turn. */
const GROWTH = 1.25;

/** With the text behind them; what was there before stays as it was. */
export function grown({ buffer, length }: GrownBytes, text: string): GrownBytes {
  const all = length + Buffer.byteLength(text);
  const goesOn = buffer.used === length && all <= buffer.bytes.length;
  const target = goesOn ? buffer : { bytes: Buffer.allocUnsafeSlow(Math.ceil(all * GROWTH)), used: length };
  if (!goesOn) buffer.bytes.copy(target.bytes, 0, 0, length);
  target.bytes.write(text, length);
  target.used = all;
  return { buffer: target, length: all };
}

export function viewOf({ buffer, length }: GrownBytes): Buffer {
  return buffer.bytes.subarray(0, length);
}

/** A text that nobody can have written into a message. */
export const MARK = `mark-${crypto.randomUUID()}`;
const MARK_MESSAGE = JSON.stringify({ role: 'user', content: MARK });

/** What stands between the marks of a body: the request's beginning, new messages to be kept, the rest. */
export interface MarkedBody {
  readonly head: string;
  /** `undefined` when there was one mark. */
  readonly added: string | undefined;
  readonly rest: string;
}

/** Throws when the package did not pass the marks on as they are. */
export function cutAtMarks(body: string, marks: 1 | 2): MarkedBody {
  const [head, ...pieces] = body.split(MARK_MESSAGE);
  const [first, second] = pieces.map(withoutComma);
  if (head === undefined || first === undefined || pieces.length !== marks)
    throw new Error('The provider package made something else of a message of text.');
  return second === undefined
    ? { head, added: undefined, rest: first }
    : { head, added: first, rest: second };
}

/** Every mark is followed by another message. */
function withoutComma(text: string): string {
  if (!text.startsWith(',')) throw new Error('The provider package put something else behind a message.');
  return text.slice(1);
}
