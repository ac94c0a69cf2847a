// Whether a person's budget of the day is spent, for model calls that nobody waits for.
import type { Repositories } from '../../storage/storage.ts';
import type { UsageService } from './usage-service.ts';

/** `false` where days have no budget. */
export async function isDaySpent(
  usage: Pick<UsageService, 'ofDays'>,
  repositories: Repositories,
): Promise<boolean> {
  const { today } = await usage.ofDays(repositories, {});
  if (today === undefined) return false;
  const { limits, spent, currency } = today;
  const { tokens = Number.POSITIVE_INFINITY, nanos = Number.POSITIVE_INFINITY } = limits;
  return spent.tokens >= tokens || (spent.cost[currency] ?? 0) >= nanos;
}
