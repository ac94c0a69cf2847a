// Stops a run and keeps its output on the screen.
import type { Client } from '@langchain/langgraph-sdk/client';
import { useEffect, useRef, useState } from 'react';
import type { ThreadRuns } from '../api/run-calls.ts';
import { rememberedRunId } from '../threads/thread-runs.ts';

interface StoppableStream {
  readonly client: Client;
  readonly isLoading: boolean;
  readonly stop: () => Promise<void>;
}

interface StoppingOptions {
  readonly stream: StoppableStream;
  readonly threadId: string | undefined;
  readonly runs: ThreadRuns | undefined;
  readonly isBusy: boolean;
}

/** `passed_on`: the service was asked to cancel. */
type Wish = 'none' | 'made' | 'passed_on';

/** How long a cancelled run may take to end its stream before the page stops listening. */
const STOP_PATIENCE_MS = 4_000;

export function useStopping({ stream, threadId, runs, isBusy }: StoppingOptions) {
  const [wish, setWish] = useState<Wish>('none');
  const stopListening = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (stream.isLoading) return;
    clearTimeout(stopListening.current);
    // The stream of the stopped run has ended. A message that is being sent has no stream yet.
    setWish((it) => (it === 'made' && isBusy ? it : 'none'));
  }, [stream.isLoading, isBusy]);

  // A stop while a message is being sent counts too: the run is cancelled as soon as its id is known.
  useEffect(() => {
    if (wish !== 'made' || threadId === undefined) return;
    const runId = rememberedRunId(threadId) ?? runs?.active?.run_id;
    if (runId === undefined) return;
    setWish('passed_on');
    // The run ends its own stream. The page stops listening earlier only if that takes too long.
    stopListening.current = setTimeout(() => void stream.stop().catch(reportError), STOP_PATIENCE_MS);
    stream.client.runs
      .cancel(threadId, runId)
      .catch(() => stream.stop())
      .catch(reportError);
  });
  return { isStopping: wish !== 'none', stop: () => setWish('made') };
}
