// A run in its wire format (docs/contract/runs.md#the-record-of-a-run).
import { z } from 'zod';
import { addMoney, NO_MONEY, shownMoney } from '../../messages/money.ts';
import { byColumn } from '../../storage/run-counts.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { WebhookReport } from '../../storage/webhook-deliveries.ts';
import { presenterOf } from './presenter-of.ts';
import { CACHED_TOTALS, modelUsageSchema, moneySchema, presentCached, presentUsage } from './spending.ts';
import { jsonObject, runIdField, threadIdField, timeField, userIdField } from './wire-fields.ts';

const nullableText = z.string().nullable();

const webhookSchema = z
  .object({
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.int(),
    last_status: z.int().nullable(),
    last_error: nullableText,
    next_attempt_at: timeField.nullable(),
  })
  .meta({ id: 'WebhookReport', description: 'The outcome of the webhook; null when the run has none' });

const rowSchema = z.object({
  run_id: runIdField,
  thread_id: threadIdField,
  assistant_id: z.string(),
  user_id: userIdField.nullable(),
  status: z.enum(['pending', 'running', 'success', 'error', 'interrupted', 'timeout']),
  metadata: jsonObject,
  kwargs: jsonObject,
  multitask_strategy: z.string(),
  follow_up_to_run_id: runIdField.nullable(),
  attempt: z.int(),
  stop_reason: nullableText,
  error: nullableText,
  created_at: timeField,
  updated_at: timeField,
  started_at: timeField.nullable(),
  finished_at: timeField.nullable(),
  ...byColumn(() => z.int()),
});

export const runBodySchema = rowSchema
  .extend({
    ...CACHED_TOTALS,
    token_usage_by_model: z.record(z.string(), modelUsageSchema),
    cost: moneySchema.nullable(),
    webhook: webhookSchema.nullable(),
  })
  .meta({ id: 'Run' });

const presentRow = presenterOf(rowSchema);
const presentWebhook = presenterOf(webhookSchema);

export function presentRun(run: RunRecord, webhook?: WebhookReport): z.output<typeof runBodySchema> {
  const { totals } = run;
  const byModel = Object.entries(totals.tokenUsageByModel);
  return {
    ...presentRow({ ...run, ...totals }),
    ...presentCached(totals.totalInputTokens, Object.values(totals.tokenUsageByModel)),
    token_usage_by_model: Object.fromEntries(byModel.map(([model, usage]) => [model, presentUsage(usage)])),
    cost: shownMoney(byModel.map(([, { cost }]) => cost).reduce(addMoney, NO_MONEY)),
    webhook: webhook === undefined ? null : presentWebhook(webhook),
  };
}
