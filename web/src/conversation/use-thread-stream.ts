// The stream of a thread and its runs, in sync with the list of threads.
import { Client } from '@langchain/langgraph-sdk/client';
import { useStream } from '@langchain/langgraph-sdk/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ServiceFetch } from '../api/service-fetch.ts';
import { useServices } from '../services/services.tsx';
import { keepNewTitle, refreshThreads } from '../threads/thread-queries.ts';
import { LATEST_RUNS, NO_RUNS, threadRunsQuery } from '../threads/thread-runs.ts';

export type State = Record<string, unknown> & {
  readonly messages: unknown[];
  readonly title?: string;
  readonly summary?: unknown;
  readonly todos?: unknown;
  readonly goal?: unknown;
};

interface ThreadStreamOptions {
  /** The agent of new runs. */
  readonly agent: string;
  readonly threadId: string | undefined;
  /** Called when a new thread gets its id. */
  readonly onThreadCreated: (threadId: string) => void;
  /** Called when the service has accepted the submission as this run. */
  readonly onCreated: (runId: string) => void;
  /** Called when a run fails after the service accepted it. */
  readonly onFailed: (error: unknown) => void;
  /** Called when a run reports a custom event. */
  readonly onRunEvent: (event: unknown) => void;
}

const FRAME_MS = 40;
/** How often a page that waits for an answer checks whether another device gave it. */
const WATCH_MS = 5_000;

export function useThreadStream(options: ThreadStreamOptions) {
  const { threadId, onThreadCreated, onCreated, onFailed, onRunEvent } = options;
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
    // All threads: a run that created its thread started before the thread had an id.
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
      if (isShown.current && typeof id === 'string') onThreadCreated(id);
    },
    onCreated: ({ run_id: runId }) => {
      onCreated(runId);
      refresh();
    },
    onCustomEvent: onRunEvent,
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
      // Stops reading, not the run: a browser has few connections to one host.
      leave.current(null);
    };
  }, []);

  const { title } = stream.values;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is asked again when the title changes.
  useEffect(() => {
    if (title === undefined || !stream.isLoading) return;
    refresh();
    if (threadId !== undefined) keepNewTitle(queryClient, threadId, title);
  }, [title, threadId]);

  return {
    stream,
    runs,
    /** Whether to poll for a run that was started elsewhere. */
    watchRun: (mode: 'watch' | 'rest') => {
      watching.current = mode;
    },
    /** Cancels a run that has not started. */
    withdraw: async (runId: string) => {
      if (threadId === undefined) return;
      await api.cancelRun(threadId, runId);
      await queryClient.invalidateQueries({ queryKey: threadRuns.queryKey });
    },
    /** Forgets the known runs, because a new one is about to start. */
    forgetRun: () => queryClient.setQueryData(threadRuns.queryKey, NO_RUNS),
  };
}

/** Creates the client of the SDK. Cookies and the CSRF header come from `fetch`. */
function createAgentClient(fetch: ServiceFetch): Client {
  return new Client({
    apiUrl: `${location.origin}/api/graph`,
    // A browser has no API key from the environment: the session cookie authenticates.
    apiKey: null,
    callerOptions: { fetch, maxRetries: 2 },
  });
}
