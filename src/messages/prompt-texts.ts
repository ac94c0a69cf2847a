// A prompt as JSON texts, for the record of a model call.
import { chatMessageBytes, chatMessageText, systemMessageText } from './chat-completion.ts';
import { isBeginning } from './is-beginning.ts';
import type { Message } from './message.ts';

export interface PromptTexts {
  /** JSON texts of the messages, the system prompt first, in chat-completion format. */
  readonly texts: Iterable<string>;
  /** UTF-8 bytes of all texts with commas between them. */
  readonly bytes: number;
}

export function promptTexts(prompt: {
  readonly system: string;
  readonly messages: readonly Message[];
}): PromptTexts {
  const system = systemMessageText(prompt.system);
  return {
    texts: textsOf(system, prompt.messages),
    bytes: Buffer.byteLength(system) + bytesOf(prompt.messages),
  };
}

function* textsOf(system: string, messages: readonly Message[]): Generator<string> {
  yield system;
  for (const message of messages) yield chatMessageText(message);
}

interface Counted {
  readonly messages: readonly Message[];
  readonly bytes: number;
}

/** The newest prompt that began with a message: the next one of its thread nearly always goes on from it. */
const counted = new WeakMap<Message, Counted>();

function bytesOf(messages: readonly Message[]): number {
  const [first] = messages;
  if (first === undefined) return 0;
  const known = counted.get(first);
  const goesOn = known !== undefined && isBeginning(known.messages, messages);
  let bytes = goesOn ? known.bytes : 0;
  for (const message of goesOn ? messages.slice(known.messages.length) : messages) {
    bytes += chatMessageBytes(message) + 1;
  }
  counted.set(first, { messages, bytes });
  return bytes;
}
