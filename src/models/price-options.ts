// The price of a model in its configuration entry.
import { z } from 'zod';
import type { Price } from '../messages/money.ts';

const MICRO = 1_000_000;

const perMillion = z
  .number()
  .nonnegative()
  .max(MICRO)
  .refine((amount) => Math.abs(amount * MICRO - micros(amount)) < 1e-4, 'a price has up to six decimals');

export const priceSchema = z.strictObject({
  input_per_million: perMillion,
  output_per_million: perMillion,
  /** For input that the provider read from its prompt cache; absent: as other input. */
  cached_input_per_million: perMillion.optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'a currency has three capital letters, like USD')
    .default('USD'),
});

export function priceOf(options: z.output<typeof priceSchema> | undefined): Price | undefined {
  if (options === undefined) return undefined;
  const input = micros(options.input_per_million);
  const cached = options.cached_input_per_million;
  return {
    currency: options.currency,
    input,
    cachedInput: cached === undefined ? input : micros(cached),
    output: micros(options.output_per_million),
  };
}

function micros(amount: number): number {
  return Math.round(amount * MICRO);
}
