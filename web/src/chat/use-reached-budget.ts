// Whether a budget ended the newest run, and whether another try may go further.
import { useQuery } from '@tanstack/react-query';
import { useServices } from '../services.tsx';
import { useNow } from '../threads/use-now.ts';
import type { Conversation } from './use-conversation.ts';

/**
 * Nothing is broken then: there is a sentence about what is used up, and when there is more. Until a new day begins, at
 * midnight UTC, another try would be refused as well.
 */
export function useReachedBudget(
  threadId: string | undefined,
  { problem, latestRun }: Conversation,
): { readonly canRetry: boolean } | undefined {
  const { api } = useServices();
  const now = useNow();
  const isReached =
    problem?.kind === 'failed' &&
    problem.text === latestRun?.error &&
    latestRun.stop_reason === 'budget_exhausted';
  const { data: budget, isPending } = useQuery({
    queryKey: ['budget-that-ended', latestRun?.run_id],
    queryFn: async () =>
      threadId === undefined || latestRun === undefined
        ? null
        : ((await api.budgetThatEnded(threadId, latestRun.run_id)) ?? null),
    enabled: isReached && threadId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isReached) return undefined;
  const endedToday = dayOf(new Date(latestRun.finished_at ?? now)) === dayOf(now);
  // Offered and taken away again, it would be pressed by mistake.
  return { canRetry: !isPending && (budget !== 'user_day' || !endedToday) };
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
