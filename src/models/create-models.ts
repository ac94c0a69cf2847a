// The models of the configuration, made ready to be called.
import type { ProviderOptions } from './ai-sdk/language-model.ts';
import { type AiSdkModelDeps, createAiSdkModel } from './ai-sdk-model.ts';
import { createDemoModel } from './demo-model.ts';
import type { Model } from './model.ts';
import type { ModelOptions } from './model-options.ts';

type CreateModelsDeps = Omit<AiSdkModelDeps, 'options'>;

/** One model an entry, in the same order; nothing is sent anywhere yet. */
export function createModels(entries: readonly ModelOptions[], deps: CreateModelsDeps = {}): Model[] {
  return entries.map((options) =>
    isProviderEntry(options) ? createAiSdkModel({ options, ...deps }) : createDemoModel({ options }),
  );
}

function isProviderEntry(options: ModelOptions): options is ProviderOptions {
  return options.provider !== 'demo';
}
