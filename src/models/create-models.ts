// Creates the models of the configuration.
import { createAiSdkModel } from './ai-sdk/ai-sdk-model.ts';
import type { CallDeps } from './calls/call-model.ts';
import { createChatCompletionsModel } from './chat-completions/chat-completions-model.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { createDemoModel } from './demo-model.ts';
import { createFallbackModel } from './fallback-model.ts';
import type { Model } from './model.ts';
import type { ModelOptions, ProviderOptions } from './model-options.ts';

/** Returns one model per entry, in the same order, and sends nothing yet. Fallbacks are found by name. */
export function createModels(entries: readonly ModelOptions[], deps: CallDeps = {}): Model[] {
  const candidates = entries.map((options) => ({
    model: isProviderEntry(options) ? createProviderModel(options, deps) : createDemoModel({ options }),
    breaker: createCircuitBreaker(deps.now),
    fallbacks: options.fallbacks,
  }));
  const byName = new Map(candidates.map((it) => [it.model.info.name, it]));
  return candidates.map((first) => {
    const others = first.fallbacks.flatMap((name) => byName.get(name) ?? []);
    return others.length === 0 ? first.model : createFallbackModel(first, others);
  });
}

function isProviderEntry(options: ModelOptions): options is ProviderOptions {
  return options.provider !== 'demo';
}

/** Loads and sends nothing before the first call. */
export function createProviderModel(options: ProviderOptions, deps: CallDeps = {}): Model {
  return options.provider === 'anthropic' || options.provider === 'google'
    ? createAiSdkModel(options, deps)
    : createChatCompletionsModel(options, deps);
}
