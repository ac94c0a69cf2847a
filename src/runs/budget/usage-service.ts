// The usage of a person's model calls, per thread and per day.
import { validationFailed } from '../../errors.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import { addUsage, type ModelUsage, NO_USAGE } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadStates } from '../../storage/thread-states.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import { dayOf, type Spending, type UsageOfDay, type UsageOfThread } from '../../storage/usage.ts';
import { type BudgetLimits, isLimited, type Limits } from './budget-options.ts';

/** How full the context window of the last model was. */
export interface ContextUsage {
  readonly tokens: number;
  readonly contextWindow: number;
}

export interface BudgetOfDay {
  readonly limits: Limits;
  readonly currency: string;
  readonly spent: Spending;
  /** When the next day begins, in epoch milliseconds. */
  readonly resetsAt: number;
}

interface DayUsage {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly total: ModelUsage;
  readonly byModel: ReadonlyMap<string, ModelUsage>;
}

interface UsageOfDays extends Omit<DayUsage, 'day'> {
  readonly from: string;
  readonly to: string;
  /** The person's budget for today, whatever the range; absent when nothing is limited. */
  readonly today: BudgetOfDay | undefined;
  /** Every day of the range, oldest first, including days without calls. */
  readonly days: readonly DayUsage[];
}

interface DayRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface UsageService {
  ofThread(
    repositories: Repositories,
    thread: ThreadRecord,
  ): Promise<{ readonly usage: UsageOfThread; readonly context: ContextUsage | undefined }>;
  /** Takes UTC days, both inclusive; the last 30 by default. Throws `validation_failed` for a bad range. */
  ofDays(repositories: Repositories, range: DayRange): Promise<UsageOfDays>;
}

interface UsageServiceParts {
  readonly states: ThreadStates;
  /** Returns the model's context window in tokens; `undefined` if not configured or if the model is gone. */
  readonly contextWindowOf: (model: string) => number | undefined;
  /** Absent: nothing is limited. */
  readonly budgets: BudgetLimits | undefined;
  readonly now: () => number;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

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

function daysOf(range: DayRange, today: string): readonly string[] {
  const last = Date.parse(range.to ?? later(range.from, today));
  const first = range.from === undefined ? last - (DEFAULT_DAYS - 1) * DAY_MS : Date.parse(range.from);
  const count = (last - first) / DAY_MS + 1;
  if (count < 1) throw validationFailed(['query', 'from'], '`from` must not be after `to`');
  if (count > MAX_DAYS) throw validationFailed(['query', 'from'], `ask for ${MAX_DAYS} days at most`);
  return Array.from({ length: count }, (_, index) => dayOf(first + index * DAY_MS));
}

/** Returns the end of a range without one: today, or the beginning of a range that begins later. */
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

function byModel(rows: readonly UsageOfDay[]): ReadonlyMap<string, ModelUsage> {
  return new Map([...Map.groupBy(rows, ({ model }) => model)].map(([model, its]) => [model, total(its)]));
}

function total(rows: readonly ModelUsage[]): ModelUsage {
  return rows.reduce(addUsage, NO_USAGE);
}

/** True when today's budget is spent; false when days have no budget. */
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
