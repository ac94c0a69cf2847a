// The shape that every provider accepts: instructions first, roles that alternate, the person's words at both ends.
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ModelRequest } from '../model.ts';

/** Messages of a thread for the provider, and the instructions that stood among them. */
export interface Converted {
  readonly prompt: readonly LanguageModelV4Message[];
  readonly system: readonly string[];
}

export interface ConvertedPrompt {
  readonly prompt: LanguageModelV4Prompt;
  /** The body to send for the one that the package makes of the prompt; absent: that one. */
  readonly toBody?: (made: string) => readonly Uint8Array[];
}

export type ToPrompt = (request: Pick<ModelRequest, 'system' | 'messages'>) => ConvertedPrompt;

export function instructions(texts: readonly string[]): readonly LanguageModelV4Message[] {
  const content = texts.filter((text) => text !== '').join('\n\n');
  return content === '' ? [] : [{ role: 'system', content }];
}

export function opened(prompt: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
  return prompt[0]?.role === 'user' ? prompt : [words('(The conversation began earlier.)'), ...prompt];
}

export function closed(prompt: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
  return prompt.at(-1)?.role === 'assistant' ? [...prompt, words('Continue.')] : prompt;
}

/**
 * Chat templates of many servers demand that the roles alternate. Texts of the person become one text, because some
 * servers take a string only.
 */
export function merged(messages: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
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

/** Texts that stand side by side become one, paragraphs of it. */
function joined(parts: readonly UserPart[]): UserPart[] {
  const whole: UserPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (last?.type !== 'text' || part.type !== 'text') whole.push(part);
    else whole[whole.length - 1] = { ...last, text: `${last.text}\n\n${part.text}` };
  }
  return whole;
}

export function words(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}
