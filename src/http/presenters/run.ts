// A run record as the wire shows it (docs/contract/runs.md#the-record-of-a-run).
import { z } from 'zod';
import { addMoney, NO_MONEY, shownMoney } from '../../messages/money.ts';
import { byColumn, columnsOfCounts } from '../../storage/run-counts.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { WebhookReport } from '../../storage/webhook-deliveries.ts';
import { CACHED_TOTALS, modelUsageSchema, moneySchema, presentCached, presentSpending } from './spending.ts';
import { jsonObject, runIdField, threadIdField, timeField, timestamp, userIdField } from './wire-fields.ts';

const nullableText = z.string().nullable();

const webhookSchema = z
  .object({
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.int(),
    last_status: z.int().nullable(),
    last_error: nullableText,
    next_attempt_at: timeField.nullable(),
  })
  .meta({ id: 'WebhookReport', description: 'What became of the webhook; null when the run has none' });

export const runBodySchema = z
  .object({
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
    ...CACHED_TOTALS,
    token_usage_by_model: z.record(z.string(), modelUsageSchema),
    cost: moneySchema.nullable(),
    webhook: webhookSchema.nullable(),
  })
  .meta({ id: 'Run' });

export function presentRun(run: RunRecord, webhook?: WebhookReport): z.output<typeof runBodySchema> {
  const { totals } = run;
  return {
    run_id: run.runId,
    thread_id: run.threadId,
    assistant_id: run.assistantId,
    user_id: run.userId,
    status: run.status,
    metadata: run.metadata,
    kwargs: run.kwargs,
    multitask_strategy: run.multitaskStrategy,
    follow_up_to_run_id: run.followUpToRunId,
    attempt: run.attempt,
    stop_reason: run.stopReason,
    error: run.error,
    created_at: timestamp(run.createdAt),
    updated_at: timestamp(run.updatedAt),
    started_at: run.startedAt === null ? null : timestamp(run.startedAt),
    finished_at: run.finishedAt === null ? null : timestamp(run.finishedAt),
    ...columnsOfCounts(totals),
    ...presentCached(totals.totalInputTokens, Object.values(totals.tokenUsageByModel)),
    token_usage_by_model: Object.fromEntries(
      Object.entries(totals.tokenUsageByModel).map(([model, usage]) => [
        model,
        { ...presentSpending(usage), calls: usage.calls },
      ]),
    ),
    cost: shownMoney(
      Object.values(totals.tokenUsageByModel)
        .map(({ cost }) => cost)
        .reduce(addMoney, NO_MONEY),
    ),
    webhook: webhook === undefined ? null : presentWebhook(webhook),
  };
}

function presentWebhook(report: WebhookReport): z.output<typeof webhookSchema> {
  return {
    status: report.status,
    attempts: report.attempts,
    last_status: report.lastStatus,
    last_error: report.lastError,
    next_attempt_at: report.nextAttemptAt === null ? null : timestamp(report.nextAttemptAt),
  };
}
