// The usage of a turn and of a whole chat: tokens, cost where it is known, and the share of the context that
// the last prompt filled.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RunUsage, Spent, ThreadUsage } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';
import { isUnderWay } from './reply-end.ts';
import type { Conversation } from './use-conversation.ts';

export interface TurnUsage {
  readonly tokens: number;
  readonly cost: Spent['cost'];
  readonly models: readonly string[];
}

/** Returns the sum over all runs of a turn. Undefined when nothing was spent or is known. */
export function turnUsage(runs: readonly RunUsage[]): TurnUsage | undefined {
  const tokens = runs.reduce((sum, { total_tokens = 0 }) => sum + total_tokens, 0);
  if (tokens === 0) return undefined;
  const models = new Set(runs.flatMap(({ token_usage_by_model = {} }) => Object.keys(token_usage_by_model)));
  return { tokens, cost: costOf(runs), models: [...models] };
}

/** Returns null when no run has a known price. */
function costOf(runs: readonly RunUsage[]): Spent['cost'] {
  const sums = new Map<string, number>();
  for (const { cost } of runs) {
    if (cost === undefined || cost === null) continue;
    for (const { amount, currency } of [cost, ...(cost.also ?? [])])
      sums.set(currency, (sums.get(currency) ?? 0) + amount);
  }
  const [first, ...also] = [...sums].map(([currency, amount]) => ({ amount, currency }));
  return first === undefined ? null : { ...first, also };
}

export interface SpentInThread {
  /** Undefined when nothing was spent. */
  readonly spent: TurnUsage | undefined;
  /** Null when the context window of the model is unknown. */
  readonly context: ThreadUsage['context_usage'];
}

/**
 * Returns the usage of a thread. Fetches nothing in a chat without runs. A run under way counts with what it
 * has reported so far.
 */
export function useThreadUsage(
  threadId: string | undefined,
  { latestRun }: Conversation,
): SpentInThread | undefined {
  const { api } = useServices();
  const isOver = latestRun !== undefined && !isUnderWay(latestRun);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['thread-usage', threadId, latestRun?.run_id],
    queryFn: () => api.threadUsage(threadId ?? ''),
    enabled: threadId !== undefined && isOver,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  if (data === undefined) return undefined;
  const { total_tokens, cost, by_model, context_usage: context } = data;
  const ended = { run_id: '', status: '', total_tokens, cost, token_usage_by_model: by_model };
  const isCounted = latestRun === undefined || !isPlaceholderData;
  return { spent: turnUsage(isCounted ? [ended] : [ended, latestRun]), context };
}
