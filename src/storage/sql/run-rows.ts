// A run's row as the record of the port.
import type { Selectable } from 'kysely';
import type { Json, JsonObject } from '../../messages/message.ts';
import type { Money } from '../../messages/money.ts';
import type { FormerHead, ModelUsage, RunCancel, RunRecord, RunTotals } from '../runs.ts';
import { isJsonObject, parseJsonObject } from './json-column.ts';
import { unpackText } from './packed-text.ts';
import { COUNT_COLUMNS } from './run-counts.ts';
import type { RunsTable } from './run-tables.ts';

type RunRow = Selectable<RunsTable>;
type RunFactsRow = Pick<RunRow, (typeof RUN_FACTS)[number]>;

/** The columns of a run that are not as large as its request may be. */
export const RUN_FACTS = [
  'run_id',
  'thread_id',
  'user_id',
  'assistant_id',
  'status',
  'metadata',
  'multitask_strategy',
  'follow_up_to_run_id',
  'attempt',
  'lease_owner',
  'lease_until',
  'base_checkpoint_id',
  'former_head_id',
  'start_after',
  'cancel_action',
  'cancel_stop_reason',
  'stop_reason',
  'error',
  'created_at',
  'updated_at',
  'started_at',
  'finished_at',
  'numbers_from',
  ...COUNT_COLUMNS,
  'token_usage_by_model',
] as const satisfies readonly (keyof RunsTable)[];

export function toRun(row: RunRow): RunRecord {
  return toRunWith(row, parseJsonObject(unpackText(row.kwargs)));
}

/** For a row whose `kwargs`, which may be megabytes, need not be read back. */
export function toRunWith(row: RunFactsRow, kwargs: JsonObject): RunRecord {
  return {
    runId: row.run_id,
    threadId: row.thread_id,
    userId: row.user_id,
    assistantId: row.assistant_id,
    status: row.status,
    metadata: parseJsonObject(row.metadata),
    kwargs,
    multitaskStrategy: row.multitask_strategy,
    followUpToRunId: row.follow_up_to_run_id,
    attempt: row.attempt,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    baseCheckpointId: row.base_checkpoint_id,
    formerHead: toFormerHead(row.former_head_id),
    startAfter: row.start_after,
    cancel: toCancel(row),
    stopReason: row.stop_reason,
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    numbersFrom: row.numbers_from,
    totals: toTotals(row),
  };
}

function toFormerHead(id: string | null): FormerHead | undefined {
  return id === null ? undefined : { checkpointId: id === '' ? null : id };
}

function toCancel({ cancel_action, cancel_stop_reason }: RunFactsRow): RunCancel | null {
  if (cancel_action === null || cancel_stop_reason === null) return null;
  return { action: cancel_action, stopReason: cancel_stop_reason };
}

function toTotals(row: RunFactsRow): RunTotals {
  return {
    totalInputTokens: row.total_input_tokens,
    totalOutputTokens: row.total_output_tokens,
    totalTokens: row.total_tokens,
    llmCallCount: row.llm_call_count,
    leadAgentTokens: row.lead_agent_tokens,
    subagentTokens: row.subagent_tokens,
    middlewareTokens: row.middleware_tokens,
    messageCount: row.message_count,
    tokenUsageByModel: toUsageByModel(row.token_usage_by_model),
  };
}

/** What `token_usage_by_model` holds. */
export function toUsageByModel(text: string): Record<string, ModelUsage> {
  const stored = parseJsonObject(text);
  return Object.fromEntries(Object.entries(stored).map(([model, usage]) => [model, toUsage(usage)]));
}

function toMoney(stored: Json): Money {
  const amounts = isJsonObject(stored) ? stored : {};
  return Object.fromEntries(Object.entries(amounts).map(([currency, nanos]) => [currency, Number(nanos)]));
}

function toUsage(stored: Json): ModelUsage {
  const usage = isJsonObject(stored) ? stored : {};
  return {
    tokens: Number(usage.tokens ?? 0),
    inputTokens: Number(usage.inputTokens ?? 0),
    cachedInputTokens: Number(usage.cachedInputTokens ?? 0),
    outputTokens: Number(usage.outputTokens ?? 0),
    calls: Number(usage.calls ?? 0),
    cost: toMoney(usage.cost ?? {}),
  };
}
