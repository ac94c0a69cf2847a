// The list of threads as a query, and the changes to it.
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  skipToken,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { Thread } from '../api/shapes.ts';
import type { ThreadPage } from '../api/thread-calls.ts';
import { useServices } from '../services/services.tsx';

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
    // This page is not notified of the end of a run that it does not read.
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

/** Returns the title of a thread in the list. Undefined while it has none. */
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

/** Calls `onDeleted` even when the row of the thread leaves the list before the response arrives. */
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

const NEW_TITLE = 'new-title';

/** Keeps the title that a run has reported. The list has it only once the run has ended. */
export function keepNewTitle(queryClient: QueryClient, threadId: string, title: string): void {
  queryClient.setQueryData([NEW_TITLE, threadId], title);
}

export function useTitleOf(thread: Thread): string {
  const newTitle = useQuery<string>({ queryKey: [NEW_TITLE, thread.thread_id], queryFn: skipToken }).data;
  return thread.values?.title || newTitle || 'New chat';
}

/** The prefix of the queries for the agents and models of chats. */
export const CHAT_CHOICES = ['chat-choice'] as const;

export function choiceOf(threadId: string | undefined) {
  return [...CHAT_CHOICES, threadId] as const;
}

/** The agent and the model of a chat. Fetched again when something happens in the chat. */
export function choiceQuery(api: Api, threadId: string | undefined) {
  return queryOptions({
    queryKey: choiceOf(threadId),
    queryFn: () => api.chatChoice(threadId ?? ''),
    enabled: threadId !== undefined,
    // A new chat does not exist before its first message.
    retry: false,
  });
}
