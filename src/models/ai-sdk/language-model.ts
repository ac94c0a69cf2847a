// The provider package's model for one entry of the configuration.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelOptions, ProviderName } from '../model-options.ts';

export type Provider = Exclude<ProviderName, 'demo'>;

/** An entry that the provider packages can serve. */
export type ProviderOptions = ModelOptions & { readonly provider: Provider };

// Given here although the packages know them: without an address they would read the environment behind our back.
const ADDRESSES = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  deepseek: 'https://api.deepseek.com',
} as const;

/** Never reads the environment; an entry without a key sends an empty one. */
export function createLanguageModel(entry: ProviderOptions, fetch: typeof globalThis.fetch): LanguageModelV4 {
  const { provider, model, headers = {} } = entry;
  // An empty key, and not none: the packages look for a missing one in the environment.
  const settings = { apiKey: entry.api_key ?? '', headers, fetch };
  switch (provider) {
    case 'openai':
      // Chat completions rather than responses: every proxy and gateway behind a base_url speaks it.
      return createOpenAI({ ...settings, baseURL: entry.base_url ?? ADDRESSES.openai }).chat(model);
    case 'openai-compatible': {
      const baseURL = entry.base_url ?? ADDRESSES.openai;
      return createOpenAICompatible({
        ...settings,
        name: 'compatible',
        baseURL,
        includeUsage: true,
      }).chatModel(model);
    }
    case 'anthropic':
      return createAnthropic({ ...settings, baseURL: entry.base_url ?? ADDRESSES.anthropic })(model);
    case 'google':
      return createGoogle({ ...settings, baseURL: entry.base_url ?? ADDRESSES.google })(model);
    case 'deepseek':
      return createDeepSeek({ ...settings, baseURL: entry.base_url ?? ADDRESSES.deepseek })(model);
    default:
      return provider satisfies never;
  }
}
