// Token totals of a run, by caller and by model.
import type { Caller, ModelCallEnd } from '../agent/agent-event.ts';
import type { ModelUsage, RunTotals } from '../storage/runs.ts';

const NO_USAGE: ModelUsage = { tokens: 0, inputTokens: 0, outputTokens: 0, calls: 0 };

/** The totals after one more model call. A call without usage counts as a call. */
export function withModelCall(totals: RunTotals, call: ModelCallEnd): RunTotals {
  const input = call.usage?.input_tokens ?? 0;
  const output = call.usage?.output_tokens ?? 0;
  const tokens = call.usage?.total_tokens || input + output;
  const before = totals.tokenUsageByModel[call.model] ?? NO_USAGE;
  const bucket = tokenBucket(call.caller);
  return {
    ...totals,
    totalInputTokens: totals.totalInputTokens + input,
    totalOutputTokens: totals.totalOutputTokens + output,
    totalTokens: totals.totalTokens + tokens,
    llmCallCount: totals.llmCallCount + 1,
    [bucket]: totals[bucket] + tokens,
    tokenUsageByModel: {
      ...totals.tokenUsageByModel,
      [call.model]: {
        tokens: before.tokens + tokens,
        inputTokens: before.inputTokens + input,
        outputTokens: before.outputTokens + output,
        calls: before.calls + 1,
      },
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
