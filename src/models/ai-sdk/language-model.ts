// The provider package's model for one entry of the configuration.
import type { APICallError, LanguageModelV4 } from '@ai-sdk/provider';
import type { ProviderOptions } from '../provider-options.ts';

/** Providers that are spoken to by a package. */
export type PackagedProvider = 'anthropic' | 'google';

// Given here although the packages know them: without an address they would read the environment behind our back.
const ADDRESSES = {
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
} as const;

/** A package that is in memory. */
export interface LoadedProvider {
  /** The model, whose requests go through this `fetch`. */
  modelOver(fetch: typeof globalThis.fetch): LanguageModelV4;
  isCallError(thrown: unknown): thrown is APICallError;
}

/**
 * Never reads the environment; an entry without a key sends an empty one. A provider's package is loaded when its
 * first model is asked: a service holds only the ones that it uses in memory.
 */
export async function loadProvider(entry: ProviderOptions<PackagedProvider>): Promise<LoadedProvider> {
  const { provider, model, headers = {}, base_url: baseURL = ADDRESSES[provider] } = entry;
  // An empty key, and not none: the packages look for a missing one in the environment.
  const settings = { apiKey: entry.api_key ?? '', headers, baseURL };
  const { APICallError } = await import('@ai-sdk/provider');
  const isCallError = (thrown: unknown) => APICallError.isInstance(thrown);
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return { modelOver: (fetch) => createAnthropic({ ...settings, fetch })(model), isCallError };
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return { modelOver: (fetch) => createGoogle({ ...settings, fetch })(model), isCallError };
    }
    default:
      return provider satisfies never;
  }
}
