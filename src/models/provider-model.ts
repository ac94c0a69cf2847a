// The adapter that speaks the protocol of an entry's provider.
import { createAiSdkModel } from './ai-sdk/ai-sdk-model.ts';
import type { CallDeps } from './calls/call-model.ts';
import { createChatCompletionsModel } from './chat-completions/chat-completions-model.ts';
import type { Model } from './model.ts';
import type { ProviderOptions } from './provider-options.ts';

/** Nothing is loaded or sent before the first call. */
export function createProviderModel(options: ProviderOptions, deps: CallDeps = {}): Model {
  const { provider } = options;
  return provider === 'anthropic' || provider === 'google'
    ? createAiSdkModel({ ...options, provider }, deps)
    : createChatCompletionsModel({ ...options, provider }, deps);
}
