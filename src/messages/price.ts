// What a model call costs.
import type { UsageMetadata } from './message.ts';
import { type Money, NO_MONEY } from './money.ts';

const PICOS_PER_NANO = 1_000n;

/** Millionths of the currency's unit for a million tokens, which are whole trillionths for one token. */
export interface Price {
  readonly currency: string;
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** Computed without fractions and rounded once, to a billionth. Nothing without a price. */
export function costOf(price: Price | undefined, usage: UsageMetadata): Money {
  if (price === undefined) return NO_MONEY;
  const cached = Math.min(cachedTokens(usage), usage.input_tokens);
  const picos =
    product(usage.input_tokens - cached, price.input) +
    product(cached, price.cachedInput) +
    product(usage.output_tokens, price.output);
  return { [price.currency]: Number((picos + PICOS_PER_NANO / 2n) / PICOS_PER_NANO) };
}

function cachedTokens({ input_token_details: details }: UsageMetadata): number {
  return details?.cache_read ?? 0;
}

/** Beyond what a double holds exactly: an expensive model with a long prompt gets there. */
function product(tokens: number, price: number): bigint {
  return BigInt(Math.trunc(tokens)) * BigInt(price);
}
