// Anthropic caches a prompt only up to a mark: one behind the instructions, one behind the newest message.
import type { LanguageModelV4Message } from '@ai-sdk/provider';

const MARKED = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };

export function cacheMarked(prompt: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
  return prompt.map((message, index) =>
    message.role === 'system' || index === prompt.length - 1 ? { ...message, ...MARKED } : message,
  );
}
