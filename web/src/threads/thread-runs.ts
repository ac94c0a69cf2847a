// The runs of a thread as a query. The active run is stored where the stream hook looks for runs to join.
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { ThreadRuns } from '../api/run-calls.ts';

/** The prefix of the queries for the runs of all threads. */
export const LATEST_RUNS = ['thread-runs'] as const;

export function runsOf(threadId: string) {
  return [...LATEST_RUNS, threadId] as const;
}

export const NO_RUNS: ThreadRuns = {
  latest: undefined,
  active: undefined,
  queued: [],
  ended: new Set(),
};

function keyOf(threadId: string): string {
  return `lg:stream:${threadId}`;
}

/**
 * Stores the active run, so that even a tab that did not start it joins it when the thread opens. Never
 * rejects: a thread opens without its runs too, and the last known runs stay while the service cannot be
 * reached.
 */
export function threadRunsQuery(api: Api, queryClient: QueryClient, threadId: string) {
  const queryKey = runsOf(threadId);
  return queryOptions({
    queryKey,
    queryFn: async (): Promise<ThreadRuns> => {
      const runs = await api.threadRuns(threadId).catch(() => undefined);
      if (runs === undefined) return queryClient.getQueryData<ThreadRuns>(queryKey) ?? NO_RUNS;
      if (runs.active === undefined) sessionStorage.removeItem(keyOf(threadId));
      else rememberRun(threadId, runs.active.run_id);
      return runs;
    },
    refetchOnWindowFocus: false,
  });
}

export function rememberRun(threadId: string, runId: string): void {
  sessionStorage.setItem(keyOf(threadId), runId);
}

export function rememberedRunId(threadId: string): string | undefined {
  return sessionStorage.getItem(keyOf(threadId)) ?? undefined;
}
