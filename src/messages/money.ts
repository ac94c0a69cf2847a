// Amounts of money as integers, so that sums never drift.

/**
 * Billionths of each currency's unit, by currency (ISO 4217). Empty: no price was known for any of it. An amount
 * holds up to nine million units exactly.
 */
export type Money = Readonly<Record<string, number>>;

export const NO_MONEY: Money = Object.freeze({});

/** As clients read it. `also` holds amounts in other currencies: prices were in those before. */
export type ShownMoney = {
  readonly amount: number;
  readonly currency: string;
  readonly also?: { readonly amount: number; readonly currency: string }[];
};

const NANOS = 1_000_000_000;

/** Units of the currency. */
export function amountOf(nanos: number): number {
  return nanos / NANOS;
}

/** `null` when no price was known. */
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
