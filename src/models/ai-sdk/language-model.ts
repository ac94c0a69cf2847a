// The provider package's model for one entry of the configuration.
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

/**
 * Never reads the environment; an entry without a key sends an empty one. A provider's package is loaded when its
 * first model is asked: a service holds only the ones that it uses in memory.
 */
export async function createLanguageModel(
  entry: ProviderOptions,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV4> {
  const { provider, model, headers = {} } = entry;
  // An empty key, and not none: the packages look for a missing one in the environment.
  const settings = { apiKey: entry.api_key ?? '', headers, fetch };
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // Chat completions rather than responses: every proxy and gateway behind a base_url speaks it.
      return createOpenAI({ ...settings, baseURL: entry.base_url ?? ADDRESSES.openai }).chat(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const baseURL = entry.base_url ?? ADDRESSES.openai;
      const compatible = { ...settings, name: 'compatible', baseURL, includeUsage: true };
      return createOpenAICompatible(compatible).chatModel(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ ...settings, baseURL: entry.base_url ?? ADDRESSES.anthropic })(model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ ...settings, baseURL: entry.base_url ?? ADDRESSES.google })(model);
    }
    case 'deepseek': {
      const { createDeepSeek } = await import('@ai-sdk/deepseek');
      return createDeepSeek({ ...settings, baseURL: entry.base_url ?? ADDRESSES.deepseek })(model);
    }
    default:
      return provider satisfies never;
  }
}
