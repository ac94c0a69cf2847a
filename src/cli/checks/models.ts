// The models: which ones there are, whether each has the key that it needs (keys are never shown), and whether the budgets
// that are configured limit anything, which depends on their prices.
import type { Environment } from '../../config/references.ts';
import { discoverModels } from '../../models/discover-models.ts';
import type { ModelOptions } from '../../models/model-options.ts';
import type { BudgetOptions } from '../../runs/budget/budget-options.ts';
import type { Finding } from '../finding.ts';

interface ModelCheckContext {
  readonly environment: Environment;
  readonly fetch?: typeof globalThis.fetch;
}

/** Providers that answer nobody without a key, and where the key usually is. */
const KEY_VARIABLES: Readonly<Partial<Record<ModelOptions['provider'], string>>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_API_KEY',
  deepseek: 'DEEPSEEK_API_KEY',
};

export async function checkModels(
  models: readonly ModelOptions[] | undefined,
  { environment, fetch = globalThis.fetch }: ModelCheckContext,
): Promise<readonly Finding[]> {
  const entries = models ?? (await discoverModels(environment, { fetch }));
  const real = entries.filter(({ provider }) => provider !== 'demo');
  return real.length === 0 ? [demoOnly()] : real.map(modelFinding);
}

function modelFinding(model: ModelOptions): Finding {
  const subject = 'models';
  const variable = KEY_VARIABLES[model.provider];
  // A server of one's own may speak a provider's protocol and want no key.
  const needsKey = variable !== undefined && model.base_url === undefined;
  if (model.api_key !== undefined || !needsKey) {
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
    fix: 'Set the key of a provider (OPENAI_API_KEY, ANTHROPIC_API_KEY ...), start Ollama, or add models to the configuration file.',
  };
}

const BUDGETS = 'budgets';

/** Nothing where there are none. Models that are found at the start have no price. */
export function checkBudgets(
  { per_run, per_user_day }: BudgetOptions,
  models: readonly Pick<ModelOptions, 'name' | 'provider' | 'price'>[] = [],
): readonly Finding[] {
  const limitsMoney = per_run.cost !== null || per_user_day.cost !== null;
  if (!limitsMoney)
    return per_run.tokens !== null || per_user_day.tokens !== null
      ? [{ verdict: 'ok', subject: BUDGETS, message: 'Tokens are limited.' }]
      : [];
  const free = models.filter(({ provider, price }) => provider !== 'demo' && price === undefined);
  if (models.every(({ price }) => price === undefined)) {
    const message =
      'A cost is limited, but no model has a price: nothing costs anything, so nothing is limited.';
    return [
      { verdict: 'problem', subject: BUDGETS, message, fix: 'Give the models a price, or limit tokens.' },
    ];
  }
  if (free.length > 0) {
    const message = `A cost is limited, but calls of these models cost nothing: ${free.map(({ name }) => name).join(', ')}.`;
    return [
      { verdict: 'note', subject: BUDGETS, message, fix: 'Give them a price, or limit tokens as well.' },
    ];
  }
  return [{ verdict: 'ok', subject: BUDGETS, message: 'Cost is limited, and every model has a price.' }];
}
