// The whole prompt as providers accept it: instructions first, alternating roles, the person's messages at
// both ends, and the marks up to which Anthropic caches it.
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { textOf } from '../../messages/message.ts';
import type { History } from './tool-pairing.ts';

type Prompt = readonly LanguageModelV4Message[];

/** Takes instructions out of the history: most providers accept them only at the very start. */
export function instructionsApart(history: History): History {
  if (!history.turns.some(({ type }) => type === 'system')) return history;
  const system = history.turns.flatMap((it) => (it.type === 'system' ? [textOf(it.content)] : []));
  return {
    turns: history.turns.filter(({ type }) => type !== 'system'),
    system: [...history.system, ...system],
  };
}

export function opened(prompt: Prompt): Prompt {
  return prompt[0]?.role === 'user' ? prompt : [words('(The conversation began earlier.)'), ...prompt];
}

export function closed(prompt: Prompt): Prompt {
  return prompt.at(-1)?.role === 'assistant' ? [...prompt, words('Continue.')] : prompt;
}

/**
 * Merges neighbours of one role: many chat templates demand alternating roles. Texts become one, because some
 * servers accept only a string.
 */
export function merged(messages: Prompt): Prompt {
  const prompt: LanguageModelV4Message[] = [];
  for (const message of messages) {
    const last = prompt.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      prompt[prompt.length - 1] = { role: 'user', content: joined([...last.content, ...message.content]) };
    } else if (last?.role === 'assistant' && message.role === 'assistant') {
      prompt[prompt.length - 1] = { role: 'assistant', content: [...last.content, ...message.content] };
    } else {
      prompt.push(message);
    }
  }
  return prompt;
}

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];

/** Joins adjacent texts to one, as its paragraphs. */
function joined(parts: readonly UserPart[]): UserPart[] {
  const whole: UserPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (last?.type !== 'text' || part.type !== 'text') whole.push(part);
    else whole[whole.length - 1] = { ...last, text: `${last.text}\n\n${part.text}` };
  }
  return whole;
}

function words(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

const MARKED = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };

/**
 * Anthropic caches a prompt only up to a mark: after the instructions, after the newest message, and before
 * the person's newest message. What is added to that message (facts, reminders) is added once: the next turn
 * has it without them.
 */
export function cacheMarked(prompt: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
  const beforeWords = prompt.findLastIndex(({ role }) => role === 'user') - 1;
  const last = prompt.length - 1;
  return prompt.map((message, index) =>
    message.role === 'system' || index === last || index === beforeWords
      ? { ...message, ...MARKED }
      : message,
  );
}
