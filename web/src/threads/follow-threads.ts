// What happens to the person's chats elsewhere: in other tabs, on other devices, by programs.
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import * as z from 'zod/mini';
import { LATEST_RUNS, runsOf } from '../chat/thread-runs.ts';
import { CHAT_CHOICES, choiceOf } from '../chat/use-chat-agent.ts';
import { refreshThreads } from './thread-queries.ts';

/** A thread as it was told last. */
export type ToldThread =
  | { readonly kind: 'there'; readonly checkpointId: string | null }
  | { readonly kind: 'deleted' };

const changedSchema = z.object({ thread_id: z.string(), checkpoint_id: z.nullable(z.string()) });
const deletedSchema = z.object({ thread_id: z.string() });

/** Key of all queries about schedules: they are asked again when a thread changes, since a schedule may have run. */
export const SCHEDULES = ['schedules'];

const TOLD = 'told-thread';
/** Several changes at once ask for the list once. */
const GATHER_MS = 150;
/** How long until it is tried again where the browser does not by itself. */
const RETRY_MS = 10_000;

/** While the page is seen: a browser has few connections to one address, and whoever comes back asks anew. */
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

/** Undefined while nothing was told of the thread. */
export function useToldThread(threadId: string | undefined): ToldThread | undefined {
  return useQuery<ToldThread>({ queryKey: [TOLD, threadId], queryFn: skipToken }).data;
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
  const tell = (threadId: string, told: ToldThread) => {
    queryClient.setQueryData<ToldThread>([TOLD, threadId], told);
    queryClient.invalidateQueries({ queryKey: runsOf(threadId) }).catch(reportError);
    queryClient.invalidateQueries({ queryKey: choiceOf(threadId) }).catch(reportError);
    queryClient.invalidateQueries({ queryKey: SCHEDULES }).catch(reportError);
    refresh();
  };
  const open = () => {
    source = new EventSource('/api/thread-changes');
    // What happened before is in what is asked for now.
    source.addEventListener('ready', () => {
      queryClient.invalidateQueries({ queryKey: LATEST_RUNS }).catch(reportError);
      queryClient.invalidateQueries({ queryKey: CHAT_CHOICES }).catch(reportError);
      queryClient.invalidateQueries({ queryKey: SCHEDULES }).catch(reportError);
      refresh();
    });
    source.addEventListener('thread', ({ data }) => {
      const { thread_id: id, checkpoint_id: checkpointId } = changedSchema.parse(JSON.parse(data));
      tell(id, { kind: 'there', checkpointId });
    });
    source.addEventListener('thread_deleted', ({ data }) => {
      tell(deletedSchema.parse(JSON.parse(data)).thread_id, { kind: 'deleted' });
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
