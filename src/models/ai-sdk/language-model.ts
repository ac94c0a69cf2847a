// The provider package's model for one entry of the configuration.
import type { APICallError, LanguageModelV4 } from '@ai-sdk/provider';
import type { ProviderOptions } from '../model-options.ts';

/** Providers that are called through a package. */
export type PackagedProvider = 'anthropic' | 'google';

// Set here although the packages know them: without an address they would read the environment.
const ADDRESSES = {
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
} as const;

export interface LoadedProvider {
  modelOver(fetch: typeof globalThis.fetch): LanguageModelV4;
  isCallError(thrown: unknown): thrown is APICallError;
}

/** Loads the package at its first call, so that unused ones take no memory. Never reads the environment. */
export async function loadProvider(entry: ProviderOptions<PackagedProvider>): Promise<LoadedProvider> {
  const { provider, model, headers = {}, base_url: baseURL = ADDRESSES[provider] } = entry;
  // An empty key instead of none: the packages look for a missing one in the environment.
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
  }
}
