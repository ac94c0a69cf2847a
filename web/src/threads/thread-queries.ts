// The list of threads as a query, and the changes to it.
import {
  infiniteQueryOptions,
  type QueryClient,
  skipToken,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { Thread } from '../api/shapes.ts';
import type { ThreadPage } from '../api/thread-calls.ts';
import { useServices } from '../services.tsx';

const THREADS = ['threads'] as const;

const BUSY_REFRESH_MS = 4_000;

function isAnyBusy(pages: readonly ThreadPage[] | undefined): boolean {
  return pages?.some((page) => page.threads.some((thread) => thread.status === 'busy')) ?? false;
}

function threadsQuery(api: Api) {
  return infiniteQueryOptions({
    queryKey: THREADS,
    queryFn: ({ pageParam }) => api.searchThreads(pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    // A run that nobody on this page listens to ends without telling.
    refetchInterval: ({ state }) => (isAnyBusy(state.data?.pages) ? BUSY_REFRESH_MS : false),
  });
}

export function useThreads() {
  const { api } = useServices();
  return useInfiniteQuery(threadsQuery(api));
}

export function refreshThreads(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: THREADS });
}

/** The title of a thread that the list knows; undefined while it has none. */
export function useThreadTitle(threadId: string | undefined): string | undefined {
  const threads = useThreads().data?.pages.flatMap((page) => page.threads);
  return threads?.find((thread) => thread.thread_id === threadId)?.values?.title ?? undefined;
}

export function useRenameThread() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ threadId, title }: { readonly threadId: string; readonly title: string }) =>
      api.renameThread(threadId, title),
    onSuccess: () => refreshThreads(queryClient),
  });
}

export function useCopyThread() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (threadId: string) => api.copyThread(threadId),
    onSuccess: () => refreshThreads(queryClient),
  });
}

/** `onDeleted` is called even when the list has lost the thread, and whoever asked with it, before the answer arrives. */
export function useDeleteThread(onDeleted: (threadId: string) => Promise<void>) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (threadId: string) => api.deleteThread(threadId),
    onSuccess: async (_, threadId) => {
      await onDeleted(threadId);
      await refreshThreads(queryClient);
    },
  });
}

const TOLD_TITLE = 'told-title';

/** A run tells the title of its thread long before the list has it: with its end. */
export function tellTitle(queryClient: QueryClient, threadId: string, title: string): void {
  queryClient.setQueryData([TOLD_TITLE, threadId], title);
}

export function useTitleOf(thread: Thread): string {
  const told = useQuery<string>({ queryKey: [TOLD_TITLE, thread.thread_id], queryFn: skipToken }).data;
  return thread.values?.title || told || 'New chat';
}
