// The sentences that tell a person which budget is reached, and when there is more.
import type { BudgetLimits, Limits } from './budget-options.ts';

/** Tokens, and billionths of the currency's unit. */
export interface Amounts {
  readonly tokens: number;
  readonly nanos: number;
}

const NANOS = 1_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function runRefusal({ run, currency }: BudgetLimits, taken: Amounts, asked: Amounts): string {
  const what = reached(run, { taken, asked, currency });
  return `The budget of this run is reached: ${what}. Send another message to go on in a new run.`;
}

export function dayRefusal(
  { userDay, currency }: BudgetLimits,
  taken: Amounts,
  { asked, now }: { readonly asked: Amounts; readonly now: number },
): string {
  const what = reached(userDay, { taken, asked, currency });
  return `Your budget for today is reached: ${what}. There is a new one from 00:00 UTC on, ${timeUntilMidnight(now)}.`;
}

/** The limit that does not suffice: money when it is that alone. */
function reached(
  limits: Limits,
  of: { readonly taken: Amounts; readonly asked: Amounts; readonly currency: string },
): string {
  const { taken, asked, currency } = of;
  const { tokens, nanos = Number.POSITIVE_INFINITY } = limits;
  if (tokens !== undefined && taken.tokens + asked.tokens > tokens) {
    const [spent, all, next] = [taken.tokens, tokens, asked.tokens].map((it) => it.toLocaleString('en-US'));
    return `${spent} of ${all} tokens are spent or set aside, and the next step may need ${next}`;
  }
  const [spent, all, next] = [taken.nanos, nanos, asked.nanos].map(money);
  return `${spent} of ${all} ${currency} are spent or set aside, and the next step may need ${next}`;
}

/** Two decimals, more where two would say nothing. */
function money(nanos: number): string {
  const amount = nanos / NANOS;
  const isSmall = amount > 0 && amount < 0.1;
  return amount.toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: isSmall ? 6 : 2,
  });
}

function timeUntilMidnight(now: number): string {
  const left = DAY_MS - (now % DAY_MS);
  const minutes = Math.ceil(left / 60_000);
  if (minutes < 60) return minutes === 1 ? 'in a minute' : `in ${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? 'in an hour' : `in ${hours} hours`;
}
