// Tokens and money in their wire format.
import { z } from 'zod';
import { shownMoney } from '../../messages/money.ts';
import type { ModelUsage } from '../../storage/runs.ts';
import type { Spending } from '../../storage/usage.ts';
import { presenterOf } from './presenter-of.ts';

const amountSchema = z.object({ amount: z.number(), currency: z.string() });

export const moneySchema = amountSchema
  .extend({ also: z.array(amountSchema).optional() })
  .meta({ id: 'Money', description: 'An amount; `also`: amounts in currencies used by earlier prices' });

/** The cached share of the input tokens. */
const cachedShareField = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .meta({
    description:
      'The share of input tokens that providers read from their caches, from 0 to 1; null without input tokens',
    examples: [0.75],
  });

export const modelUsageSchema = z
  .object({
    tokens: z.int(),
    input_tokens: z.int(),
    cached_input_tokens: z.int(),
    cached_input_share: cachedShareField,
    output_tokens: z.int(),
    cost: moneySchema.nullable(),
    calls: z.int(),
  })
  .meta({ id: 'ModelUsage' });

/** Returns the cached share, capped at 1 in case a provider counts tokens twice. */
function cachedShare({ inputTokens, cachedInputTokens }: CachedSpending): number | null {
  return inputTokens === 0 ? null : Math.min(1, cachedInputTokens / inputTokens);
}

type CachedSpending = Pick<Spending, 'inputTokens' | 'cachedInputTokens'>;

/** The totals of all models. */
export const CACHED_TOTALS = { total_cached_input_tokens: z.int(), cached_input_share: cachedShareField };

export function presentCached(inputTokens: number, byModel: Iterable<Pick<Spending, 'cachedInputTokens'>>) {
  let cachedInputTokens = 0;
  for (const of of byModel) cachedInputTokens += of.cachedInputTokens;
  return {
    total_cached_input_tokens: cachedInputTokens,
    cached_input_share: cachedShare({ inputTokens, cachedInputTokens }),
  };
}

const present = presenterOf(modelUsageSchema);

/** Returns the usage of a model. `cost` is `null` when no price was known. */
export function presentUsage(usage: ModelUsage): z.output<typeof modelUsageSchema> {
  return present({ ...usage, cachedInputShare: cachedShare(usage), cost: shownMoney(usage.cost) });
}
