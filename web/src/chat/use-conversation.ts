// One conversation: the stream of its thread, and what a person can do with it.
import { useStream } from '@langchain/langgraph-sdk/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useServices } from '../services.tsx';
import { refreshThreads } from '../threads/thread-queries.ts';
import { ASSISTANT_ID, createAgentClient } from './agent-client.ts';
import { type RunProblem, runProblemOf } from './run-error.ts';
import { latestRunQuery, rememberedRunId } from './running-run.ts';
import { createTurnReader, type Turn } from './turns.ts';
import type { RunOptions } from './use-run-options.ts';

type State = Record<string, unknown> & { readonly messages: unknown[]; readonly title?: string };

interface ConversationOptions {
  readonly threadId: string | undefined;
  /** A new conversation got its id. */
  readonly onBorn: (threadId: string) => void;
}

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly title: string | undefined;
  readonly phase: 'opening' | 'idle' | 'answering' | 'stopping';
  readonly problem: RunProblem | undefined;
  readonly send: (text: string, options: RunOptions) => void;
  /** Runs again what failed; the message is not sent twice if it had arrived. */
  readonly retry: (options: RunOptions) => void;
  readonly stop: () => void;
}

const FRAME_MS = 40;
/** How long a cancelled run may take to end its stream before the page stops listening. */
const STOP_PATIENCE_MS = 4_000;
const RECURSION_LIMIT = 100;

export function useConversation({ threadId, onBorn }: ConversationOptions): Conversation {
  const { api, fetch } = useServices();
  const queryClient = useQueryClient();
  const [client] = useState(() => createAgentClient(fetch));
  const [readTurns] = useState(createTurnReader);
  const [isStopping, setStopping] = useState(false);
  const unsent = useRef<SentMessage>(undefined);
  const isShown = useRef(false);
  const latestRun = latestRunQuery(api, threadId ?? 'none');
  const lastError = useQuery({ ...latestRun, enabled: threadId !== undefined }).data?.error ?? undefined;
  const refresh = () => void refreshThreads(queryClient).catch(reportError);
  const refreshAll = () => {
    refresh();
    void queryClient.invalidateQueries({ queryKey: latestRun.queryKey }).catch(reportError);
  };

  const stream = useStream<State>({
    client,
    assistantId: ASSISTANT_ID,
    threadId: threadId ?? null,
    reconnectOnMount: () => sessionStorage,
    fetchStateHistory: { limit: 1 },
    throttle: FRAME_MS,
    onThreadId: (id) => {
      if (isShown.current && typeof id === 'string') onBorn(id);
    },
    onCreated: () => {
      unsent.current = undefined;
      refresh();
    },
    onFinish: refreshAll,
    onError: refreshAll,
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

  const stopListening = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (stream.isLoading) return;
    setStopping(false);
    clearTimeout(stopListening.current);
  }, [stream.isLoading]);

  const { title } = stream.values;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is asked again when the title changes.
  useEffect(() => {
    if (title !== undefined && stream.isLoading) refresh();
  }, [title]);

  const submit = (message: SentMessage | undefined, options: RunOptions) => {
    unsent.current = message;
    queryClient.setQueryData(latestRun.queryKey, null);
    stream
      .submit(message === undefined ? null : { messages: [message] }, {
        config: { recursion_limit: RECURSION_LIMIT, configurable: { ...options } },
        ...(message === undefined
          ? {}
          : {
              optimisticValues: (state: State) => ({
                ...state,
                messages: [...withoutMessage(state.messages ?? [], message.id), message],
              }),
            }),
      })
      .catch(reportError);
  };

  const stop = async () => {
    const runId = threadId === undefined ? undefined : rememberedRunId(threadId);
    if (threadId === undefined || runId === undefined) return stream.stop();
    setStopping(true);
    // The run ends its own stream, so the words that were written stay on the screen.
    stopListening.current = setTimeout(() => void stream.stop().catch(reportError), STOP_PATIENCE_MS);
    await client.runs.cancel(threadId, runId).catch(() => stream.stop());
  };
  return {
    turns: readTurns(stream.messages),
    title,
    phase: phaseOf(stream, isStopping),
    problem: stream.isLoading ? undefined : runProblemOf(stream.error ?? lastError),
    send: (text, options) => submit({ type: 'human', id: newMessageId(), content: text }, options),
    retry: (options) => submit(unsent.current, options),
    stop: () => void stop().catch(reportError),
  };
}

interface SentMessage {
  readonly type: 'human';
  /** Chosen here, so that the message stays the same one on the screen and when it has to be sent again. */
  readonly id: string;
  readonly content: string;
}

function newMessageId(): string {
  // `randomUUID` exists on secure origins only.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `m-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function withoutMessage(messages: readonly unknown[], id: string): readonly unknown[] {
  return messages.filter((it) => !(typeof it === 'object' && it !== null && 'id' in it && it.id === id));
}

function phaseOf(
  stream: { readonly isLoading: boolean; readonly isThreadLoading: boolean },
  isStopping: boolean,
): Conversation['phase'] {
  if (stream.isLoading) return isStopping ? 'stopping' : 'answering';
  return stream.isThreadLoading ? 'opening' : 'idle';
}
