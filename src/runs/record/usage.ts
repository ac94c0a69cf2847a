// Token totals of a run, by caller and by model, and what each of its model calls took.
import type { Caller, ModelCallEnd, ModelCallFailed } from '../../agent/agent-event.ts';
import type { CallUsage } from '../../agent/call-usage.ts';
import { addMoney, NO_MONEY } from '../../messages/money.ts';
import type { ModelUsage, RunTotals } from '../../storage/runs.ts';
import type { SpentCall } from '../../storage/usage.ts';

const NO_USAGE: ModelUsage = {
  tokens: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  calls: 0,
  cost: NO_MONEY,
};

/** What the call took; `undefined` for one that failed before the model said anything. `at` is when it ended. */
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

/** The totals after one more model call. */
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
      [call.model]: {
        tokens: before.tokens + call.tokens,
        inputTokens: before.inputTokens + call.inputTokens,
        cachedInputTokens: before.cachedInputTokens + call.cachedInputTokens,
        outputTokens: before.outputTokens + call.outputTokens,
        calls: before.calls + 1,
        cost: addMoney(before.cost, call.cost),
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
