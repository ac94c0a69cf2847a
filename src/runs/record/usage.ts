// Token totals of a run, by caller and by model, and the usage of each of its model calls.
import type { Caller, ModelCallEnd, ModelCallFailed } from '../../agent/agent-event.ts';
import type { CallUsage } from '../../agent/call-usage.ts';
import { addUsage, NO_USAGE, type RunTotals } from '../../storage/runs.ts';
import type { SpentCall } from '../../storage/usage.ts';

/** Returns the usage; `undefined` if the call failed before the model's first word. `at` is its end. */
export function spentBy(event: ModelCallEnd | ModelCallFailed, at: number): SpentCall | undefined {
  const spent: CallUsage | undefined = event.type === 'model_call_end' ? event : event.spent;
  if (spent === undefined) return undefined;
  const { usage, cost } = spent;
  const { input_tokens: inputTokens, output_tokens: outputTokens, input_token_details: details } = usage;
  return {
    at,
    model: event.model,
    tokens: usage.total_tokens || inputTokens + outputTokens,
    inputTokens,
    cachedInputTokens: details?.cache_read ?? 0,
    outputTokens,
    cost,
  };
}

export function withModelCall(totals: RunTotals, caller: Caller, call: SpentCall): RunTotals {
  const before = totals.tokenUsageByModel[call.model] ?? NO_USAGE;
  const bucket = tokenBucket(caller);
  return {
    ...totals,
    totalInputTokens: totals.totalInputTokens + call.inputTokens,
    totalOutputTokens: totals.totalOutputTokens + call.outputTokens,
    totalTokens: totals.totalTokens + call.tokens,
    llmCallCount: totals.llmCallCount + 1,
    [bucket]: totals[bucket] + call.tokens,
    tokenUsageByModel: {
      ...totals.tokenUsageByModel,
      [call.model]: addUsage(before, { ...call, calls: 1 }),
    },
  };
}

export function withMessages(totals: RunTotals, count: number): RunTotals {
  return count === 0 ? totals : { ...totals, messageCount: totals.messageCount + count };
}

function tokenBucket(caller: Caller): 'leadAgentTokens' | 'subagentTokens' | 'middlewareTokens' {
  if (caller.startsWith('subagent:')) return 'subagentTokens';
  return caller.startsWith('middleware:') ? 'middlewareTokens' : 'leadAgentTokens';
}
