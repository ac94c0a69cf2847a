// What a chat took so far, and how full the last prompt was: asked for when a run has ended.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ThreadUsage } from '../api/shapes.ts';
import { useServices } from '../services.tsx';
import { isUnderWay } from './answer-end.ts';
import { type TurnUsage, turnUsage } from './turn-usage.ts';
import type { Conversation } from './use-conversation.ts';

export interface SpentInThread {
  /** Undefined when nothing was spent. */
  readonly spent: TurnUsage | undefined;
  /** Null where nobody knows how much the model can read. */
  readonly context: ThreadUsage['context_usage'];
}

/** Nothing is asked in a chat in which nothing has run. The run that is under way is counted as far as it told. */
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
