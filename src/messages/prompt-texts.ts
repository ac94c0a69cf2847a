// A prompt as JSON texts, for the record of a model call.
import { chatMessageBytes, chatMessageText, systemMessageText } from './chat-completion.ts';
import { isBeginning } from './is-beginning.ts';
import type { Message } from './message.ts';

export interface PromptTexts {
  /**
   * JSON texts of the messages, the system prompt first, in chat-completion format. Of a text of more than `longest`
   * characters, so many or more.
   */
  readonly texts: (longest: number) => Iterable<string>;
  /** UTF-8 bytes of all texts with commas between them. */
  readonly bytes: number;
}

export function promptTexts(prompt: {
  readonly system: string;
  readonly messages: readonly Message[];
}): PromptTexts {
  const system = systemMessageText(prompt.system);
  return {
    texts: (longest) => textsOf(system, prompt.messages, longest),
    bytes: Buffer.byteLength(system) + bytesOf(prompt.messages),
  };
}

function* textsOf(system: string, messages: readonly Message[], longest: number): Generator<string> {
  yield system;
  for (const message of messages) yield chatMessageText(message, longest);
}

interface Counted {
  readonly messages: readonly Message[];
  readonly bytes: number;
}

/** The newest prompt that began with a message: the next one of its thread nearly always goes on from it. */
const counted = new WeakMap<Message, Counted>();

function bytesOf(messages: readonly Message[]): number {
  const { before, added } = goingOn(messages);
  let bytes = before;
  for (const message of added) bytes += chatMessageBytes(message) + 1;
  keep({ messages, bytes });
  return bytes;
}

/** Counts a prompt in steps, of which none is longer than one message, so that `promptTexts` need not. */
export function* promptCounting(messages: readonly Message[]): Generator<void, void, void> {
  const { before, added } = goingOn(messages);
  let bytes = before;
  for (const message of added) {
    yield;
    bytes += chatMessageBytes(message) + 1;
  }
  keep({ messages, bytes });
}

/** What is counted already of a prompt, and what is not. */
function goingOn(messages: readonly Message[]) {
  const [first] = messages;
  const known = first && counted.get(first);
  if (known === undefined || !isBeginning(known.messages, messages)) return { before: 0, added: messages };
  return { before: known.bytes, added: messages.slice(known.messages.length) };
}

function keep(count: Counted): void {
  const [first] = count.messages;
  if (first !== undefined) counted.set(first, count);
}
