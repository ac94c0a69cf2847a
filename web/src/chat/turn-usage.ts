// What the runs of a turn took: tokens, money where it is known, and the models that were asked.
import type { RunUsage, Spent } from '../api/shapes.ts';

export interface TurnUsage {
  readonly tokens: number;
  readonly cost: Spent['cost'];
  readonly models: readonly string[];
}

/** Of all runs of a turn; undefined when nothing was spent, or nothing is known of it. */
export function turnUsage(runs: readonly RunUsage[]): TurnUsage | undefined {
  const tokens = runs.reduce((sum, { total_tokens = 0 }) => sum + total_tokens, 0);
  if (tokens === 0) return undefined;
  const models = new Set(runs.flatMap(({ token_usage_by_model = {} }) => Object.keys(token_usage_by_model)));
  return { tokens, cost: costOf(runs), models: [...models] };
}

/** Null where no price is known for any of it. */
function costOf(runs: readonly RunUsage[]): Spent['cost'] {
  const sums = new Map<string, number>();
  for (const { cost } of runs) {
    if (cost === undefined || cost === null) continue;
    for (const { amount, currency } of [cost, ...(cost.also ?? [])])
      sums.set(currency, (sums.get(currency) ?? 0) + amount);
  }
  const [first, ...also] = [...sums].map(([currency, amount]) => ({ amount, currency }));
  return first === undefined ? null : { ...first, also };
}
