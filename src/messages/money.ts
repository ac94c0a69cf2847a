// Amounts of money as integers, so that sums never drift, and what a model call costs.
import type { UsageMetadata } from './message.ts';

/**
 * Billionths of each currency's unit, by currency (ISO 4217). Empty when no price was known for any of it. An
 * amount is exact up to nine million units.
 */
export type Money = Readonly<Record<string, number>>;

export const NO_MONEY: Money = Object.freeze({});

/** The amount as clients read it. `also` holds amounts in other currencies, in which prices once were. */
type ShownMoney = {
  readonly amount: number;
  readonly currency: string;
  readonly also?: { readonly amount: number; readonly currency: string }[];
};

const NANOS = 1_000_000_000;

/** Returns the amount in units of the currency. */
export function amountOf(nanos: number): number {
  return nanos / NANOS;
}

/** Returns the amount as clients read it, or `null` when no price was known. */
export function shownMoney(money: Money): ShownMoney | null {
  const [first, ...others] = Object.entries(money).map(([currency, nanos]) => ({
    amount: amountOf(nanos),
    currency,
  }));
  if (first === undefined) return null;
  return others.length === 0 ? first : { ...first, also: others };
}

export function addMoney(left: Money, right: Money): Money {
  const sum: Record<string, number> = { ...left };
  for (const [currency, nanos] of Object.entries(right)) sum[currency] = (sum[currency] ?? 0) + nanos;
  return sum;
}

const PICOS_PER_NANO = 1_000n;

/** Prices of a million tokens in millionths of the currency's unit: whole trillionths for one token. */
export interface Price {
  readonly currency: string;
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** Returns the cost, computed with integers and rounded once, to a billionth; nothing without a price. */
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

/** Multiplies beyond what a double holds exactly. An expensive model with a long prompt gets there. */
function product(tokens: number, price: number): bigint {
  return BigInt(Math.trunc(tokens)) * BigInt(price);
}
