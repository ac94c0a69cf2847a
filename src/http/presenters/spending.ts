// Tokens and money as the wire shows them.
import { z } from 'zod';
import { shownMoney } from '../../messages/money.ts';
import type { Spending } from '../../storage/usage.ts';

const amountSchema = z.object({ amount: z.number(), currency: z.string() });

export const moneySchema = amountSchema
  .extend({ also: z.array(amountSchema).optional() })
  .meta({ id: 'Money', description: 'An amount; `also`: amounts in currencies that prices were in before' });

/** Of the prompts. */
const cachedShareField = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .meta({
    description:
      'Of the input tokens, how much the providers had in their caches, from 0 to 1; null without any',
    examples: [0.75],
  });

const SPENDING = {
  tokens: z.int(),
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  cached_input_share: cachedShareField,
  output_tokens: z.int(),
  cost: moneySchema.nullable(),
};
export const spendingSchema = z.object(SPENDING);
export const modelUsageSchema = z.object({ ...SPENDING, calls: z.int() }).meta({ id: 'ModelUsage' });

/** What a provider counts twice is no more than all of it. */
function cachedShare({ inputTokens, cachedInputTokens }: CachedSpending): number | null {
  return inputTokens === 0 ? null : Math.min(1, cachedInputTokens / inputTokens);
}

type CachedSpending = Pick<Spending, 'inputTokens' | 'cachedInputTokens'>;

/** Of all models together. */
export const CACHED_TOTALS = { total_cached_input_tokens: z.int(), cached_input_share: cachedShareField };

export function presentCached(inputTokens: number, byModel: Iterable<Pick<Spending, 'cachedInputTokens'>>) {
  let cachedInputTokens = 0;
  for (const of of byModel) cachedInputTokens += of.cachedInputTokens;
  return {
    total_cached_input_tokens: cachedInputTokens,
    cached_input_share: cachedShare({ inputTokens, cachedInputTokens }),
  };
}

/** `cost` is `null` where no price was known. */
export function presentSpending(spending: Spending): z.output<typeof spendingSchema> {
  return {
    tokens: spending.tokens,
    input_tokens: spending.inputTokens,
    cached_input_tokens: spending.cachedInputTokens,
    cached_input_share: cachedShare(spending),
    output_tokens: spending.outputTokens,
    cost: shownMoney(spending.cost),
  };
}
