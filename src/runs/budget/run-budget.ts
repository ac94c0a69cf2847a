// What one attempt of a run may still spend from the run's budget and from its owner's daily budget.
import type { BudgetScope, CallBudget, CallEstimate, Reservation } from '../../agent/call-budget.ts';
import type { RunRecord, RunTotals } from '../../storage/runs.ts';
import { type BudgetDecision, type BudgetReservations, dayOf } from '../../storage/usage.ts';
import type { Timers } from '../../timers.ts';
import type { RunWriter } from '../log/run-writer.ts';
import { untilAvailable } from '../log/until-available.ts';
import { type BudgetLimits, isLimited, type Limits } from './budget-options.ts';

interface RunBudgetParts {
  readonly limits: BudgetLimits;
  readonly reservations: BudgetReservations;
  readonly run: RunRecord;
  readonly writer: Pick<RunWriter, 'append'>;
  readonly totals: () => RunTotals;
  readonly signal: AbortSignal;
  readonly timers: Timers;
  readonly now: () => number;
  readonly newId: () => string;
}

/**
 * The run's budget is tracked in memory, because one process alone executes the run. The daily budget is
 * tracked in storage, where all processes see it. A reservation counts until the actual spending is reported:
 * both may count for a moment, but never neither.
 */
export class RunBudget implements CallBudget {
  readonly #parts: RunBudgetParts;
  readonly #open = new Map<string, Amounts>();
  #isClosed = false;

  constructor(parts: RunBudgetParts) {
    this.#parts = parts;
  }

  async reserve(call: CallEstimate): Promise<Reservation> {
    const { limits, now, newId } = this.#parts;
    const asked = { tokens: call.tokens, nanos: call.cost[limits.currency] ?? 0 };
    const taken = this.#takenOfRun();
    if (exceeds(limits.run, taken, asked)) return refused('run', runRefusal(limits, taken, asked));
    const reservationId = newId();
    // Before any `await`, because other agents of the run reserve concurrently.
    this.#open.set(reservationId, asked);
    const at = now();
    const decision = await this.#reserveDay(reservationId, asked, at).catch((error: unknown) => {
      this.#open.delete(reservationId);
      throw error;
    });
    if (decision.kind === 'granted') return { kind: 'granted', release: () => this.#release(reservationId) };
    this.#open.delete(reservationId);
    return refused('user_day', dayRefusal(limits, decision, { asked, now: at }));
  }

  /** Ends the attempt, and with it all its reservations. */
  close(): void {
    this.#isClosed = true;
  }

  get #reservesDays(): boolean {
    return isLimited(this.#parts.limits.userDay);
  }

  async #reserveDay(reservationId: string, asked: Amounts, at: number): Promise<BudgetDecision> {
    const { limits, reservations, run, signal, timers } = this.#parts;
    const { runId, attempt, userId } = run;
    if (!this.#reservesDays || userId === null) return { kind: 'granted' };
    const request = {
      ...{ reservationId, runId, attempt, userId, ...asked },
      day: dayOf(at),
      currency: limits.currency,
      limits: limits.userDay,
    };
    return untilAvailable(() => reservations.reserve(request), {
      timers,
      mayContinue: () => !signal.aborted,
    });
  }

  #takenOfRun(): Amounts {
    const { limits, totals } = this.#parts;
    const { totalTokens, tokenUsageByModel } = totals();
    const costs = Object.values(tokenUsageByModel).map(({ cost }) => cost[limits.currency] ?? 0);
    const open = [...this.#open.values()];
    return {
      tokens: totalTokens + sum(open.map(({ tokens }) => tokens)),
      nanos: sum(costs) + sum(open.map(({ nanos }) => nanos)),
    };
  }

  #release(reservationId: string): void {
    this.#open.delete(reservationId);
    if (this.#reservesDays && !this.#isClosed) this.#parts.writer.append({ released: [reservationId] });
  }
}

function exceeds(limits: BudgetLimits['run'], taken: Amounts, asked: Amounts): boolean {
  const { tokens = Number.POSITIVE_INFINITY, nanos = Number.POSITIVE_INFINITY } = limits;
  return taken.tokens + asked.tokens > tokens || taken.nanos + asked.nanos > nanos;
}

function refused(budget: BudgetScope, message: string): Reservation {
  return { kind: 'refused', budget, message };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Tokens, and billionths of the currency's unit. */
interface Amounts {
  readonly tokens: number;
  readonly nanos: number;
}

const NANOS = 1_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function runRefusal({ run, currency }: BudgetLimits, taken: Amounts, asked: Amounts): string {
  const what = reached(run, { taken, asked, currency });
  return `The budget of this run is reached: ${what}. Send another message to go on in a new run.`;
}

function dayRefusal(
  { userDay, currency }: BudgetLimits,
  taken: Amounts,
  { asked, now }: { readonly asked: Amounts; readonly now: number },
): string {
  const what = reached(userDay, { taken, asked, currency });
  return `Your budget for today is reached: ${what}. A new one starts at 00:00 UTC, ${timeUntilMidnight(now)}.`;
}

/** Describes the exceeded limit: the tokens, or the cost if only that is exceeded. */
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

/** Formats an amount with two decimals, or more where two would round to zero. */
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
