// What a person's model calls took: of a thread, and day by day.
import { validationFailed } from '../../errors.ts';
import { addMoney, NO_MONEY } from '../../messages/money.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadStates } from '../../storage/thread-states.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import { dayOf, type Spending, type UsageOfDay, type UsageOfThread } from '../../storage/usage.ts';
import { type BudgetLimits, isLimited, type Limits } from './budget-options.ts';

/** How full the window of the model was that was asked last. */
export interface ContextUsage {
  readonly tokens: number;
  readonly contextWindow: number;
}

/** Spending with the number of the model calls. */
export interface CountedSpending extends Spending {
  readonly calls: number;
}

export interface BudgetOfDay {
  readonly limits: Limits;
  readonly currency: string;
  readonly spent: Spending;
  /** Epoch milliseconds: when the next day begins. */
  readonly resetsAt: number;
}

interface DayUsage {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly total: CountedSpending;
  readonly byModel: ReadonlyMap<string, CountedSpending>;
}

interface UsageOfDays extends Omit<DayUsage, 'day'> {
  readonly from: string;
  readonly to: string;
  /** What the person may spend today, whatever the range; absent when nothing is limited. */
  readonly today: BudgetOfDay | undefined;
  /** Every day of the range, oldest first, also those without a call. */
  readonly days: readonly DayUsage[];
}

export interface UsageService {
  ofThread(
    repositories: Repositories,
    thread: ThreadRecord,
  ): Promise<{ readonly usage: UsageOfThread; readonly context: ContextUsage | undefined }>;
  /**
   * Days are `YYYY-MM-DD` in UTC and both included; the 30 days until today unless they are given. Throws
   * `validation_failed` for a range that is the wrong way round or longer than 366 days.
   */
  ofDays(
    repositories: Repositories,
    range: { readonly from?: string; readonly to?: string },
  ): Promise<UsageOfDays>;
}

interface UsageServiceParts {
  readonly states: ThreadStates;
  /** Of the model of that name, in tokens; `undefined` when nobody said, or there is no such model any more. */
  readonly contextWindowOf: (model: string) => number | undefined;
  /** Absent: nothing is limited. */
  readonly budgets: BudgetLimits | undefined;
  readonly now: () => number;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
const NOTHING: CountedSpending = {
  calls: 0,
  tokens: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  cost: NO_MONEY,
};

export function createUsageService(parts: UsageServiceParts): UsageService {
  const { states, contextWindowOf, now } = parts;
  return {
    async ofThread({ usage, checkpoints }, { threadId, headCheckpointId }) {
      const folded =
        headCheckpointId === null ? undefined : await states.at(checkpoints, threadId, headCheckpointId);
      const context = folded === undefined ? undefined : contextUsage(folded.state, contextWindowOf);
      return { usage: await usage.ofThread(threadId), context };
    },

    async ofDays({ usage }, range) {
      const days = daysOf(range, dayOf(now()));
      const [from = '', to = from] = [days[0], days.at(-1)];
      return { from, to, today: await today(usage, parts), ...summed(days, await usage.days({ from, to })) };
    },
  };
}

async function today(
  usage: Repositories['usage'],
  { budgets, now }: UsageServiceParts,
): Promise<BudgetOfDay | undefined> {
  if (budgets === undefined || !isLimited(budgets.userDay)) return undefined;
  const at = now();
  const day = dayOf(at);
  return {
    limits: budgets.userDay,
    currency: budgets.currency,
    spent: total(await usage.days({ from: day, to: day })),
    resetsAt: (Math.floor(at / DAY_MS) + 1) * DAY_MS,
  };
}

function contextUsage(
  { messages }: ThreadState,
  contextWindowOf: UsageServiceParts['contextWindowOf'],
): ContextUsage | undefined {
  const last = messages.findLast((it) => it.type === 'ai' && (it.usage_metadata?.input_tokens ?? 0) > 0);
  if (last?.type !== 'ai') return undefined;
  const { model_name: model } = last.response_metadata;
  const contextWindow = typeof model === 'string' ? contextWindowOf(model) : undefined;
  const tokens = last.usage_metadata?.input_tokens;
  return contextWindow === undefined || tokens === undefined ? undefined : { tokens, contextWindow };
}

/** Every day of the range. */
function daysOf(range: { readonly from?: string; readonly to?: string }, today: string): readonly string[] {
  const last = Date.parse(range.to ?? later(range.from, today));
  const first = range.from === undefined ? last - (DEFAULT_DAYS - 1) * DAY_MS : Date.parse(range.from);
  const count = (last - first) / DAY_MS + 1;
  if (count < 1) throw validationFailed(['query', 'from'], '`from` is a day before `to`, or the same');
  if (count > MAX_DAYS) throw validationFailed(['query', 'from'], `ask for ${MAX_DAYS} days at most`);
  return Array.from({ length: count }, (_, index) => dayOf(first + index * DAY_MS));
}

/** A range that begins after today ends where it begins. */
function later(from: string | undefined, today: string): string {
  return from !== undefined && from > today ? from : today;
}

function summed(
  days: readonly string[],
  rows: readonly UsageOfDay[],
): Omit<UsageOfDays, 'from' | 'to' | 'today'> {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return {
    total: total(rows),
    byModel: byModel(rows),
    days: days.map((day) => {
      const ofDay = byDay.get(day) ?? [];
      return { day, total: total(ofDay), byModel: byModel(ofDay) };
    }),
  };
}

function byModel(rows: readonly UsageOfDay[]): ReadonlyMap<string, CountedSpending> {
  return new Map([...Map.groupBy(rows, ({ model }) => model)].map(([model, its]) => [model, total(its)]));
}

function total(rows: readonly CountedSpending[]): CountedSpending {
  return rows.reduce(
    (sum, row) => ({
      calls: sum.calls + row.calls,
      tokens: sum.tokens + row.tokens,
      inputTokens: sum.inputTokens + row.inputTokens,
      cachedInputTokens: sum.cachedInputTokens + row.cachedInputTokens,
      outputTokens: sum.outputTokens + row.outputTokens,
      cost: addMoney(sum.cost, row.cost),
    }),
    NOTHING,
  );
}

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
