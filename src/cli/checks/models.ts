// The models: which ones there are, and whether each has the key that it needs. Keys are never shown.
import type { Environment } from '../../config/references.ts';
import type { ModelOptions } from '../../models/model-options.ts';
import type { Finding } from '../finding.ts';

interface ModelCheckContext {
  readonly environment: Environment;
}

/** Where a model without a key of its own may find one. */
const KEY_VARIABLES: Readonly<Record<ModelOptions['provider'], string | undefined>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_API_KEY',
  deepseek: 'DEEPSEEK_API_KEY',
  'openai-compatible': undefined,
  demo: undefined,
};

const DISCOVERED = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_API_KEY',
  'DEEPSEEK_API_KEY',
  'OPENROUTER_API_KEY',
];

export async function checkModels(
  models: readonly ModelOptions[] | undefined,
  { environment }: ModelCheckContext,
): Promise<readonly Finding[]> {
  if (models !== undefined) return models.map(configuredModel);
  const keys = DISCOVERED.filter((name) => environment[name]);
  if (keys.length > 0) return [{ verdict: 'ok', subject: 'models', message: `Found by ${keys.join(', ')}.` }];
  return [demoOnly()];
}

function configuredModel(model: ModelOptions): Finding {
  const subject = 'models';
  const variable = KEY_VARIABLES[model.provider];
  if (model.api_key !== undefined || variable === undefined) {
    return { verdict: 'ok', subject, message: `${model.name} (${model.provider}).` };
  }
  return {
    verdict: 'problem',
    subject,
    message: `${model.name} has no api_key.`,
    fix: `Add "api_key: $${variable}" to it in the configuration file, and set ${variable}.`,
  };
}

function demoOnly(): Finding {
  return {
    verdict: 'note',
    subject: 'models',
    message: 'Only the demo model, which is no language model.',
    fix: `Set one of ${DISCOVERED.join(', ')}, start Ollama, or add models to the configuration file.`,
  };
}
