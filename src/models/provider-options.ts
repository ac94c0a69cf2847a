// The entries of the configuration behind which a provider stands.
import type { ModelOptions, ProviderName } from './model-options.ts';

export type Provider = Exclude<ProviderName, 'demo'>;

export type ProviderOptions<Name extends Provider = Provider> = ModelOptions & { readonly provider: Name };
