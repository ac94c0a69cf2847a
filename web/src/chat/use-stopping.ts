// Stops a run so that the words that were written stay on the screen.
import type { Client } from '@langchain/langgraph-sdk/client';
import { useEffect, useRef, useState } from 'react';
import { rememberedRunId } from './thread-runs.ts';

interface StoppableStream {
  readonly client: Client;
  readonly isLoading: boolean;
  readonly stop: () => Promise<void>;
}

/** How long a cancelled run may take to end its stream before the page stops listening. */
const STOP_PATIENCE_MS = 4_000;

export function useStopping(stream: StoppableStream, threadId: string | undefined) {
  const [isStopping, setStopping] = useState(false);
  const stopListening = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (stream.isLoading) return;
    setStopping(false);
    clearTimeout(stopListening.current);
  }, [stream.isLoading]);

  const stop = async () => {
    const runId = threadId === undefined ? undefined : rememberedRunId(threadId);
    if (threadId === undefined || runId === undefined) return stream.stop();
    setStopping(true);
    // The run ends its own stream; listening ends before that only when it takes too long.
    stopListening.current = setTimeout(() => void stream.stop().catch(reportError), STOP_PATIENCE_MS);
    await stream.client.runs.cancel(threadId, runId).catch(() => stream.stop());
  };
  return { isStopping, stop: () => void stop().catch(reportError) };
}
