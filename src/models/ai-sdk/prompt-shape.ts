// What a prompt is made of on its way to a provider package.
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
