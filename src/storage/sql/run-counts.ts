// The columns that count what a run took and made: one list for whoever reads, inserts and verifies them.
import type { RunTotals } from '../runs.ts';
import type { RunsTable } from './run-tables.ts';

export const COUNT_COLUMNS = [
  'total_input_tokens',
  'total_output_tokens',
  'total_tokens',
  'llm_call_count',
  'lead_agent_tokens',
  'subagent_tokens',
  'middleware_tokens',
  'message_count',
] as const satisfies readonly (keyof RunsTable)[];

export type CountColumn = (typeof COUNT_COLUMNS)[number];

/** What each of them holds for a run of these totals. */
export function countsOf(totals: RunTotals): Readonly<Record<CountColumn, number>> {
  return {
    total_input_tokens: totals.totalInputTokens,
    total_output_tokens: totals.totalOutputTokens,
    total_tokens: totals.totalTokens,
    llm_call_count: totals.llmCallCount,
    lead_agent_tokens: totals.leadAgentTokens,
    subagent_tokens: totals.subagentTokens,
    middleware_tokens: totals.middlewareTokens,
    message_count: totals.messageCount,
  };
}
