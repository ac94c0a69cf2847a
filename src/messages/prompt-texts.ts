// A prompt as JSON texts, for the record of a model call.
import { chatMessageBytes, chatMessageText, systemMessageText } from './chat-completion.ts';
import { isBeginning } from './is-beginning.ts';
import type { Message } from './message.ts';

export interface PromptTexts {
  /**
   * JSON texts of the messages, the system prompt first, in chat-completion format. A text of more than
   * `longest` characters may be cut, but not below that length.
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

/** The newest prompt, by its first message. The next prompt of the thread nearly always continues it. */
const counted = new WeakMap<Message, Counted>();

function bytesOf(messages: readonly Message[]): number {
  const steps = promptCounting(messages);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Counts a prompt in steps of at most one message, so that `promptTexts` need not. Returns its bytes. */
export function* promptCounting(messages: readonly Message[]): Generator<void, number, void> {
  const { before, added } = goingOn(messages);
  let bytes = before;
  for (const message of added) {
    yield;
    bytes += chatMessageBytes(message) + 1;
  }
  const [first] = messages;
  if (first !== undefined) counted.set(first, { messages, bytes });
  return bytes;
}

/** Returns the bytes already counted for a prompt, and the messages not counted yet. */
function goingOn(messages: readonly Message[]) {
  const [first] = messages;
  const known = first && counted.get(first);
  if (known === undefined || !isBeginning(known.messages, messages)) return { before: 0, added: messages };
  return { before: known.bytes, added: messages.slice(known.messages.length) };
}
