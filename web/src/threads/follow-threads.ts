// Changes to the person's chats from elsewhere: other tabs, other devices, and programs.
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import * as z from 'zod/mini';
import { CHAT_CHOICES, choiceOf, refreshThreads } from './thread-queries.ts';
import { LATEST_RUNS, runsOf } from './thread-runs.ts';

/** The last announced change of a thread. */
export type ThreadChange =
  | { readonly kind: 'there'; readonly checkpointId: string | null }
  | { readonly kind: 'deleted' };

const changedSchema = z.object({ thread_id: z.string(), checkpoint_id: z.nullable(z.string()) });
const deletedSchema = z.object({ thread_id: z.string() });

/** The prefix of all queries about schedules. A changed thread may mean that a schedule has run. */
export const SCHEDULES = ['schedules'];

const THREAD_CHANGE = 'thread-change';
/** All changes within this time refresh the list once. */
const GATHER_MS = 150;
/** The time until the next attempt when the browser does not reconnect by itself. */
const RETRY_MS = 10_000;

/**
 * Follows changes only while the page is visible: a browser has few connections to one host, and a page
 * refreshes when it becomes visible.
 */
export function useFollowedThreads(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    let stop = () => {};
    const turn = () => {
      stop();
      stop = document.visibilityState === 'visible' ? follow(queryClient) : () => {};
    };
    turn();
    document.addEventListener('visibilitychange', turn);
    return () => {
      document.removeEventListener('visibilitychange', turn);
      stop();
    };
  }, [queryClient]);
}

/** Returns the last announced change. Undefined while there is none. */
export function useThreadChange(threadId: string | undefined): ThreadChange | undefined {
  return useQuery<ThreadChange>({ queryKey: [THREAD_CHANGE, threadId], queryFn: skipToken }).data;
}

function follow(queryClient: QueryClient): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  const refresh = () => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      refreshThreads(queryClient).catch(reportError);
    }, GATHER_MS);
  };
  const publish = (threadId: string, change: ThreadChange) => {
    queryClient.setQueryData<ThreadChange>([THREAD_CHANGE, threadId], change);
    queryClient.invalidateQueries({ queryKey: runsOf(threadId) }).catch(reportError);
    queryClient.invalidateQueries({ queryKey: choiceOf(threadId) }).catch(reportError);
    queryClient.invalidateQueries({ queryKey: SCHEDULES }).catch(reportError);
    refresh();
  };
  const open = () => {
    source = new EventSource('/api/thread-changes');
    // Refreshing everything now covers earlier changes.
    source.addEventListener('ready', () => {
      queryClient.invalidateQueries({ queryKey: LATEST_RUNS }).catch(reportError);
      queryClient.invalidateQueries({ queryKey: CHAT_CHOICES }).catch(reportError);
      queryClient.invalidateQueries({ queryKey: SCHEDULES }).catch(reportError);
      refresh();
    });
    source.addEventListener('thread', ({ data }) => {
      const { thread_id: id, checkpoint_id: checkpointId } = changedSchema.parse(JSON.parse(data));
      publish(id, { kind: 'there', checkpointId });
    });
    source.addEventListener('thread_deleted', ({ data }) => {
      publish(deletedSchema.parse(JSON.parse(data)).thread_id, { kind: 'deleted' });
    });
    source.addEventListener('error', () => {
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    });
  };
  open();
  return () => {
    source?.close();
    clearTimeout(retry);
    clearTimeout(gathering);
  };
}
