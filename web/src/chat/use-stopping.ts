// Stops a run so that the words that were written stay on the screen.
import type { Client } from '@langchain/langgraph-sdk/client';
import { useEffect, useRef, useState } from 'react';
import type { ThreadRuns } from '../api/run-calls.ts';
import { rememberedRunId } from './thread-runs.ts';

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

/** `passed_on`: the service knows of it. */
type Wish = 'none' | 'made' | 'passed_on';

/** How long a cancelled run may take to end its stream before the page stops listening. */
const STOP_PATIENCE_MS = 4_000;

export function useStopping({ stream, threadId, runs, isBusy }: StoppingOptions) {
  const [wish, setWish] = useState<Wish>('none');
  const stopListening = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (stream.isLoading) return;
    clearTimeout(stopListening.current);
    // The stream of what was stopped is over; a message that is on its way has none yet.
    setWish((it) => (it === 'made' && isBusy ? it : 'none'));
  }, [stream.isLoading, isBusy]);

  // Whoever stops in the moment of sending is heard as well: the service is told as soon as it is known of which run.
  useEffect(() => {
    if (wish !== 'made' || threadId === undefined) return;
    const runId = rememberedRunId(threadId) ?? runs?.active?.run_id;
    if (runId === undefined) return;
    setWish('passed_on');
    // The run ends its own stream; listening ends before that only when it takes too long.
    stopListening.current = setTimeout(() => void stream.stop().catch(reportError), STOP_PATIENCE_MS);
    stream.client.runs
      .cancel(threadId, runId)
      .catch(() => stream.stop())
      .catch(reportError);
  });
  return { isStopping: wish !== 'none', stop: () => setWish('made') };
}
