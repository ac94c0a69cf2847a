// A run's row as the record of the port.
import type { Selectable } from 'kysely';
import type { Json } from '../../messages/message.ts';
import type { ModelUsage, RunCancel, RunRecord, RunTotals } from '../runs.ts';
import { isJsonObject, parseJsonObject } from './json-column.ts';
import { unpackText } from './packed-text.ts';
import type { RunsTable } from './tables.ts';

type RunRow = Selectable<RunsTable>;

export function toRun(row: RunRow): RunRecord {
  return {
    runId: row.run_id,
    threadId: row.thread_id,
    userId: row.user_id,
    assistantId: row.assistant_id,
    status: row.status,
    metadata: parseJsonObject(row.metadata),
    kwargs: parseJsonObject(unpackText(row.kwargs)),
    multitaskStrategy: row.multitask_strategy,
    followUpToRunId: row.follow_up_to_run_id,
    attempt: row.attempt,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    baseCheckpointId: row.base_checkpoint_id,
    startAfter: row.start_after,
    cancel: toCancel(row),
    stopReason: row.stop_reason,
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    totals: toTotals(row),
  };
}

function toCancel({ cancel_action, cancel_stop_reason }: RunRow): RunCancel | null {
  if (cancel_action === null || cancel_stop_reason === null) return null;
  return { action: cancel_action, stopReason: cancel_stop_reason };
}

function toTotals(row: RunRow): RunTotals {
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

function toUsageByModel(text: string): Record<string, ModelUsage> {
  const stored = parseJsonObject(text);
  return Object.fromEntries(Object.entries(stored).map(([model, usage]) => [model, toUsage(usage)]));
}

function toUsage(stored: Json): ModelUsage {
  const usage = isJsonObject(stored) ? stored : {};
  return {
    tokens: Number(usage.tokens ?? 0),
    inputTokens: Number(usage.inputTokens ?? 0),
    outputTokens: Number(usage.outputTokens ?? 0),
    calls: Number(usage.calls ?? 0),
  };
}
