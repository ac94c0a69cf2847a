// What a run did to files, as a query: it never changes.
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';

export function runChangesQuery(api: Api, threadId: string, runId: string) {
  return queryOptions({
    queryKey: ['run-changes', threadId, runId],
    queryFn: () => api.runChanges(threadId, runId),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
