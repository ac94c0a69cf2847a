// Whether the newest run was ended on purpose, and whether the person can have it go on.
import { useQuery } from '@tanstack/react-query';
import { useServices } from '../services.tsx';
import { useNow } from '../threads/use-now.ts';
import type { Conversation } from './use-conversation.ts';

export type RunStop = { readonly kind: 'loop' } | { readonly kind: 'budget'; readonly mayGoOn: boolean };

/**
 * Nothing is broken then: there is a sentence about why it ended. Of a budget of the day there is more when a new day begins, at
 * midnight UTC; until then another run would be refused as well.
 */
export function useRunStop(
  threadId: string | undefined,
  { problem, latestRun }: Conversation,
): RunStop | undefined {
  const { api } = useServices();
  const now = useNow();
  const ended = problem?.kind === 'failed' && problem.text === latestRun?.error ? latestRun : undefined;
  const isReached = ended?.stop_reason === 'budget_exhausted';
  const { data: budget, isPending } = useQuery({
    queryKey: ['budget-that-ended', ended?.run_id],
    queryFn: async () =>
      threadId === undefined || ended === undefined
        ? null
        : ((await api.budgetThatEnded(threadId, ended.run_id)) ?? null),
    enabled: isReached && threadId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (ended?.stop_reason === 'loop_detected') return { kind: 'loop' };
  if (!isReached) return undefined;
  const endedToday = dayOf(new Date(ended.finished_at ?? now)) === dayOf(now);
  // Offered and taken away again, it would be pressed by mistake.
  return { kind: 'budget', mayGoOn: !isPending && (budget !== 'user_day' || !endedToday) };
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
