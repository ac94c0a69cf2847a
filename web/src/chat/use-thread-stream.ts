// The stream of a thread and its runs, kept in step with the list of threads.
import { useStream } from '@langchain/langgraph-sdk/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useServices } from '../services.tsx';
import { refreshThreads, tellTitle } from '../threads/thread-queries.ts';
import { createAgentClient } from './agent-client.ts';
import { LATEST_RUNS, NO_RUNS, threadRunsQuery } from './thread-runs.ts';

export type State = Record<string, unknown> & {
  readonly messages: unknown[];
  readonly title?: string;
  readonly summary?: unknown;
  readonly todos?: unknown;
  readonly goal?: unknown;
};

interface ThreadStreamOptions {
  /** The agent that new runs are for. */
  readonly agent: string;
  readonly threadId: string | undefined;
  /** A new thread got its id. */
  readonly onBorn: (threadId: string) => void;
  /** The service has taken what was sent, and does it as this run. */
  readonly onCreated: (runId: string) => void;
  /** A run that the service had taken ended with an error. */
  readonly onFailed: (error: unknown) => void;
  /** A run told something beside its messages and its state. */
  readonly onTold: (event: unknown) => void;
}

const FRAME_MS = 40;
/** How often a page that waits for an answer looks whether it was given elsewhere. */
const WATCH_MS = 5_000;

export function useThreadStream(options: ThreadStreamOptions) {
  const { threadId, onBorn, onCreated, onFailed, onTold } = options;
  const { api, fetch } = useServices();
  const queryClient = useQueryClient();
  const [client] = useState(() => createAgentClient(fetch));
  const isShown = useRef(false);
  const watching = useRef<'watch' | 'rest'>('rest');
  const threadRuns = threadRunsQuery(api, queryClient, threadId ?? 'none');
  const runs = useQuery({
    ...threadRuns,
    enabled: threadId !== undefined,
    refetchInterval: () => (watching.current === 'watch' ? WATCH_MS : false),
  });
  const refresh = () => void refreshThreads(queryClient).catch(reportError);
  const refreshAll = () => {
    refresh();
    // Whichever is shown: a run that made its thread began when there was no id yet.
    void queryClient.invalidateQueries({ queryKey: LATEST_RUNS }).catch(reportError);
  };

  const stream = useStream<State>({
    client,
    assistantId: options.agent,
    threadId: threadId ?? null,
    reconnectOnMount: () => sessionStorage,
    fetchStateHistory: { limit: 1 },
    throttle: FRAME_MS,
    onThreadId: (id) => {
      if (isShown.current && typeof id === 'string') onBorn(id);
    },
    onCreated: ({ run_id: runId }) => {
      onCreated(runId);
      refresh();
    },
    onCustomEvent: onTold,
    onFinish: refreshAll,
    onError: (error, taken) => {
      refreshAll();
      if (taken !== undefined) onFailed(error);
    },
    onStop: refreshAll,
  });

  const leave = useRef(stream.switchThread);
  leave.current = stream.switchThread;
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      // Ends the reading, not the run: a browser has few connections to one address.
      leave.current(null);
    };
  }, []);

  const { title } = stream.values;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is asked again when the title changes.
  useEffect(() => {
    if (title === undefined || !stream.isLoading) return;
    refresh();
    if (threadId !== undefined) tellTitle(queryClient, threadId, title);
  }, [title, threadId]);

  return {
    stream,
    runs,
    /** Whether to look, now and then, for a run that was started elsewhere. */
    watchRun: (mode: 'watch' | 'rest') => {
      watching.current = mode;
    },
    /** Ends a run that has not begun. */
    withdraw: async (runId: string) => {
      if (threadId === undefined) return;
      await api.cancelRun(threadId, runId);
      await queryClient.invalidateQueries({ queryKey: threadRuns.queryKey });
    },
    /** Something new is about to run. */
    forgetRun: () => queryClient.setQueryData(threadRuns.queryKey, NO_RUNS),
  };
}
