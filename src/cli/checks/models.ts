// Checks the models: which ones there are, whether each has the key that it needs (keys are never shown), and
// whether the configured budgets limit anything, which depends on prices.
import type { Environment } from '../../config/references.ts';
import { discoverModels } from '../../models/discover-models.ts';
import type { ModelOptions } from '../../models/model-options.ts';
import type { BudgetOptions } from '../../runs/budget/budget-options.ts';
import { type Finding, findingsOn } from '../finding.ts';

const { ok, note, problem } = findingsOn('models');
const budgets = findingsOn('budgets');

interface ModelCheckContext {
  readonly environment: Environment;
  readonly fetch?: typeof globalThis.fetch;
}

/** The usual variable for a provider's key. `undefined` when the provider needs none. */
const KEY_VARIABLES: Readonly<Record<ModelOptions['provider'], string | undefined>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_API_KEY',
  deepseek: 'DEEPSEEK_API_KEY',
  'openai-compatible': undefined,
  demo: undefined,
};

export async function checkModels(
  models: readonly ModelOptions[] | undefined,
  { environment, fetch = globalThis.fetch }: ModelCheckContext,
): Promise<readonly Finding[]> {
  const entries = models ?? (await discoverModels(environment, { fetch }));
  const real = entries.filter(({ provider }) => provider !== 'demo');
  if (real.length > 0) return real.map(modelFinding);
  return [
    note(
      'Only the demo model, which is no language model.',
      'Set the key of a provider (OPENAI_API_KEY, ANTHROPIC_API_KEY ...), start Ollama, or add models to the configuration file.',
    ),
  ];
}

function modelFinding(model: ModelOptions): Finding {
  const variable = KEY_VARIABLES[model.provider];
  // A private server may speak a provider's protocol and require no key.
  const needsKey = variable !== undefined && model.base_url === undefined;
  if (model.api_key !== undefined || !needsKey) return ok(`${model.name} (${model.provider}).`);
  return problem(
    `${model.name} has no api_key.`,
    `Add "api_key: $${variable}" to it in the configuration file, and set ${variable}.`,
  );
}

/** Returns no findings without budgets. Models that are discovered at start have no price. */
export function checkBudgets(
  { per_run, per_user_day }: BudgetOptions,
  models: readonly Pick<ModelOptions, 'name' | 'provider' | 'price'>[] = [],
): readonly Finding[] {
  const limitsMoney = per_run.cost !== null || per_user_day.cost !== null;
  const limitsTokens = per_run.tokens !== null || per_user_day.tokens !== null;
  if (!limitsMoney) return limitsTokens ? [budgets.ok('Tokens are limited.')] : [];
  const free = models.filter(({ provider, price }) => provider !== 'demo' && price === undefined);
  if (models.every(({ price }) => price === undefined)) {
    const message =
      'A cost is limited, but no model has a price: nothing costs anything, so nothing is limited.';
    return [budgets.problem(message, 'Give the models a price, or limit tokens.')];
  }
  if (free.length > 0) {
    const message = `A cost is limited, but calls of these models cost nothing: ${free.map(({ name }) => name).join(', ')}.`;
    return [budgets.note(message, 'Give them a price, or limit tokens as well.')];
  }
  return [budgets.ok('Cost is limited, and every model has a price.')];
}
