// The budgets: does every one that is configured limit anything?
import type { ModelOptions } from '../../models/model-options.ts';
import type { BudgetOptions } from '../../runs/budget/budget-options.ts';
import type { Finding } from '../finding.ts';

const subject = 'budgets';

/** Nothing where there are none. Models that are found at the start have no price. */
export function checkBudgets(
  { per_run, per_user_day }: BudgetOptions,
  models: readonly Pick<ModelOptions, 'name' | 'provider' | 'price'>[] = [],
): readonly Finding[] {
  const limitsMoney = per_run.cost !== null || per_user_day.cost !== null;
  if (!limitsMoney)
    return per_run.tokens !== null || per_user_day.tokens !== null
      ? [{ verdict: 'ok', subject, message: 'Tokens are limited.' }]
      : [];
  const free = models.filter(({ provider, price }) => provider !== 'demo' && price === undefined);
  if (models.every(({ price }) => price === undefined)) {
    const message =
      'A cost is limited, but no model has a price: nothing costs anything, so nothing is limited.';
    return [{ verdict: 'problem', subject, message, fix: 'Give the models a price, or limit tokens.' }];
  }
  if (free.length > 0) {
    const message = `A cost is limited, but calls of these models cost nothing: ${free.map(({ name }) => name).join(', ')}.`;
    return [{ verdict: 'note', subject, message, fix: 'Give them a price, or limit tokens as well.' }];
  }
  return [{ verdict: 'ok', subject, message: 'Cost is limited, and every model has a price.' }];
}
