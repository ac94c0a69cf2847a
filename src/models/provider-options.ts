// The entries of the configuration behind which a provider stands.
import type { ModelOptions, ProviderName } from './model-options.ts';

export type Provider = Exclude<ProviderName, 'demo'>;

/** One type for each name, so that a look at `provider` tells them apart. */
export type ProviderOptions<Name extends Provider = Provider> = Name extends Provider
  ? ModelOptions & { readonly provider: Name }
  : never;
