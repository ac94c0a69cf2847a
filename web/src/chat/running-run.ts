// The newest run of a thread: a running one is remembered where the stream hook looks for runs to join.
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { Run } from '../api/shapes.ts';

const ACTIVE = ['pending', 'running'];

/** How the newest runs of all threads begin their keys. */
export const LATEST_RUNS = ['latest-run'];

function keyOf(threadId: string): string {
  return `lg:stream:${threadId}`;
}

/**
 * The newest run, null when there is none. Asking remembers a running one, so that it is joined when the thread
 * opens, also in a tab that did not start it. Never fails: a thread opens without this knowledge, too.
 */
export function latestRunQuery(api: Api, threadId: string) {
  return queryOptions({
    queryKey: [...LATEST_RUNS, threadId],
    queryFn: async (): Promise<Run | null> => {
      const run = await api.latestRun(threadId).catch(() => undefined);
      if (run === undefined) return null;
      if (ACTIVE.includes(run.status)) sessionStorage.setItem(keyOf(threadId), run.run_id);
      else sessionStorage.removeItem(keyOf(threadId));
      return run;
    },
    refetchOnWindowFocus: false,
  });
}

export function rememberedRunId(threadId: string): string | undefined {
  return sessionStorage.getItem(keyOf(threadId)) ?? undefined;
}
