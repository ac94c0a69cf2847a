// What runs and people may spend: the section `budgets:` of the configuration file.
import { z } from 'zod';

const NANOS = 1_000_000_000;

/** `null`: no limit. */
const limitsSchema = z.strictObject({
  tokens: z.int().positive().max(1_000_000_000_000).nullable().default(null),
  /** In the currency of the prices; calls of models without a price are free. */
  cost: z.number().positive().max(1_000_000).nullable().default(null),
});

export const budgetOptionsSchema = z.strictObject({
  /** All model calls of one run. */
  per_run: limitsSchema.prefault({}),
  /** All model calls of one person from midnight to midnight, UTC. */
  per_user_day: limitsSchema.prefault({}),
});

export type BudgetOptions = z.output<typeof budgetOptionsSchema>;

/** Tokens, and billionths of the currency's unit. Absent: no limit. */
export interface Limits {
  readonly tokens?: number;
  readonly nanos?: number;
}

export interface BudgetLimits {
  readonly run: Limits;
  readonly userDay: Limits;
  /** The currency of the prices. `XXX` if no model has a price. */
  readonly currency: string;
}

/** Returns `undefined` when nothing is limited. Usage is not tracked then either. */
export function budgetLimitsOf(options: BudgetOptions, currency = 'XXX'): BudgetLimits | undefined {
  const [run, userDay] = [limitsOf(options.per_run), limitsOf(options.per_user_day)];
  return isLimited(run) || isLimited(userDay) ? { run, userDay, currency } : undefined;
}

export function isLimited({ tokens, nanos }: Limits): boolean {
  return tokens !== undefined || nanos !== undefined;
}

function limitsOf({ tokens, cost }: z.output<typeof limitsSchema>): Limits {
  return {
    ...(tokens === null ? {} : { tokens }),
    ...(cost === null ? {} : { nanos: Math.round(cost * NANOS) }),
  };
}
