// Tokens and money as the wire shows them.
import { z } from 'zod';
import { shownMoney } from '../../messages/money.ts';
import type { Spending } from '../../storage/usage.ts';

const amountSchema = z.object({ amount: z.number(), currency: z.string() });

export const moneySchema = amountSchema
  .extend({ also: z.array(amountSchema).optional() })
  .meta({ id: 'Money', description: 'An amount; `also`: amounts in currencies that prices were in before' });

const SPENDING = {
  tokens: z.int(),
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  output_tokens: z.int(),
  cost: moneySchema.nullable(),
};
export const spendingSchema = z.object(SPENDING);
export const modelUsageSchema = z.object({ ...SPENDING, calls: z.int() }).meta({ id: 'ModelUsage' });

/** `cost` is `null` where no price was known. */
export function presentSpending(spending: Spending): z.output<typeof spendingSchema> {
  return {
    tokens: spending.tokens,
    input_tokens: spending.inputTokens,
    cached_input_tokens: spending.cachedInputTokens,
    output_tokens: spending.outputTokens,
    cost: shownMoney(spending.cost),
  };
}
