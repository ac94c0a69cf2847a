// Anthropic caches a prompt only up to a mark: behind the instructions, behind the newest message, and before the newest
// words of the person. What is told beside those words (facts, reminders) is told once: the next turn has them without it.
import type { LanguageModelV4Message } from '@ai-sdk/provider';

const MARKED = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };

export function cacheMarked(prompt: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
  const beforeWords = prompt.findLastIndex(({ role }) => role === 'user') - 1;
  const last = prompt.length - 1;
  return prompt.map((message, index) =>
    message.role === 'system' || index === last || index === beforeWords
      ? { ...message, ...MARKED }
      : message,
  );
}
