// The usage of model calls: of a thread, and of the signed-in user by day.
import { z } from 'zod';
import { addMoney, amountOf, NO_MONEY, shownMoney } from '../../messages/money.ts';
import type { BudgetOfDay, ContextUsage, UsageService } from '../../runs/budget/usage-service.ts';
import type { ModelUsage } from '../../storage/runs.ts';
import type { UsageOfThread } from '../../storage/usage.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import {
  CACHED_TOTALS,
  modelUsageSchema,
  moneySchema,
  presentCached,
  presentUsage,
} from '../presenters/spending.ts';
import { threadIdField, timeField, timestamp } from '../presenters/wire-fields.ts';

const threadUsageSchema = z
  .object({
    thread_id: threadIdField,
    total_runs: z.int(),
    total_tokens: z.int(),
    total_input_tokens: z.int(),
    ...CACHED_TOTALS,
    total_output_tokens: z.int(),
    by_model: z.record(z.string(), modelUsageSchema.extend({ runs: z.int() })),
    by_caller: z.object({ lead_agent: z.int(), subagent: z.int(), middleware: z.int() }),
    context_usage: z
      .object({ tokens: z.int(), context_window: z.int(), ratio: z.number() })
      .nullable()
      .meta({ description: 'The size of the last prompt, and the context window of its model' }),
    cost: moneySchema.nullable(),
  })
  .meta({ id: 'ThreadUsage' });

const dayField = z.string().meta({ format: 'date', examples: ['2026-11-21'] });
const byModelSchema = z.record(z.string(), modelUsageSchema);
const budgetSchema = z
  .object({
    tokens: z.object({ limit: z.int(), used: z.int() }).nullable(),
    cost: z.object({ limit: z.number(), used: z.number(), currency: z.string() }).nullable(),
    resets_at: timeField,
  })
  .meta({ id: 'DayBudget', description: 'Your budget for today; null when nothing is limited' });
const usageSchema = z
  .object({
    from: dayField,
    to: dayField,
    total: modelUsageSchema,
    by_model: byModelSchema,
    budget: budgetSchema.nullable(),
    days: z.array(modelUsageSchema.extend({ date: dayField, by_model: byModelSchema })),
  })
  .meta({ id: 'Usage' });

/** A calendar day. `2026-02-30` is invalid. */
const dayQuery = z.iso
  .date('expected a day like 2026-11-21')
  .max(10)
  .meta({ examples: ['2026-11-21'] })
  .optional();
const rangeQuery = z.object({
  from: dayQuery.describe('The first day, such as `2026-11-21`'),
  to: dayQuery.describe('The last day. Default: today'),
});

export function usageRoutes(routes: RouteTable, { usage }: { readonly usage: UsageService }): void {
  routes.get('/api/threads/{thread_id}/token-usage', {
    operationId: 'getThreadUsage',
    summary: 'The usage of the ended runs of the thread',
    thread: 'read',
    responses: ok('Sums over the runs', threadUsageSchema),
    handle: async (c) => {
      const { thread, repositories } = c.var;
      const { usage: sums, context } = await usage.ofThread(repositories, thread);
      return c.json(presentThreadUsage(thread.threadId, sums, context));
    },
  });
  routes.get('/api/usage', {
    operationId: 'getUsage',
    summary: 'The usage of your model calls by day (UTC): the last 30 days by default, 366 at most',
    query: rangeQuery,
    responses: ok('Sums of the range, and of each of its days', usageSchema),
    handle: async (c, { query }) => {
      const of = await usage.ofDays(c.var.repositories, query);
      return c.json({
        from: of.from,
        to: of.to,
        total: presentUsage(of.total),
        by_model: presentByModel(of.byModel),
        budget: of.today === undefined ? null : presentBudget(of.today),
        days: of.days.map(({ day, total, byModel }) => ({
          date: day,
          ...presentUsage(total),
          by_model: presentByModel(byModel),
        })),
      });
    },
  });
}

function presentBudget({ limits, currency, spent, resetsAt }: BudgetOfDay): z.output<typeof budgetSchema> {
  const { tokens, nanos } = limits;
  const used = spent.cost[currency] ?? 0;
  return {
    tokens: tokens === undefined ? null : { limit: tokens, used: spent.tokens },
    cost: nanos === undefined ? null : { limit: amountOf(nanos), used: amountOf(used), currency },
    resets_at: timestamp(resetsAt),
  };
}

function presentThreadUsage(
  threadId: string,
  usage: UsageOfThread,
  context: ContextUsage | undefined,
): z.output<typeof threadUsageSchema> {
  const models = Object.entries(usage.byModel);
  return {
    thread_id: threadId,
    total_runs: usage.runs,
    total_tokens: usage.tokens,
    total_input_tokens: usage.inputTokens,
    ...presentCached(usage.inputTokens, Object.values(usage.byModel)),
    total_output_tokens: usage.outputTokens,
    by_model: Object.fromEntries(
      models.map(([model, of]) => [model, { ...presentUsage(of), runs: of.runs }]),
    ),
    by_caller: {
      lead_agent: usage.leadAgentTokens,
      subagent: usage.subagentTokens,
      middleware: usage.middlewareTokens,
    },
    context_usage:
      context === undefined
        ? null
        : {
            tokens: context.tokens,
            context_window: context.contextWindow,
            ratio: context.tokens / context.contextWindow,
          },
    cost: shownMoney(models.map(([, { cost }]) => cost).reduce(addMoney, NO_MONEY)),
  };
}

function presentByModel(byModel: ReadonlyMap<string, ModelUsage>): z.output<typeof byModelSchema> {
  return Object.fromEntries([...byModel].map(([model, of]) => [model, presentUsage(of)]));
}
