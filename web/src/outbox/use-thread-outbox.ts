// The messages of one chat that are not a part of it yet.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Uploaded } from '../api/file-shapes.ts';
import type { ThreadRuns } from '../api/run-calls.ts';
import { randomId } from '../chat/random-id.ts';
import { NO_RUNS, runsOf } from '../chat/thread-runs.ts';
import { useServices } from '../services.tsx';
import { refreshThreads } from '../threads/thread-queries.ts';
import type { NewEntry, OutboxItem } from './outbox.ts';

/** What a person writes: words, and the files that go with them. */
export interface Written {
  readonly text: string;
  readonly files: readonly Uploaded[];
}

interface ThreadOutbox {
  readonly items: readonly OutboxItem[];
  readonly send: (written: Written, options: NewEntry['options']) => void;
}

interface ThreadOutboxOptions {
  readonly threadId: string | undefined;
  /** A new chat has its id. */
  readonly onBorn: (threadId: string) => void;
}

export function useThreadOutbox({ threadId, onBorn }: ThreadOutboxOptions): ThreadOutbox {
  const { outbox } = useServices();
  const queryClient = useQueryClient();
  const [newThreadId] = useState(randomId);
  const target = threadId ?? newThreadId;
  const items = useSyncExternalStore(outbox.subscribe, outbox.items).filter((it) => it.threadId === target);
  const taken = items.findLast((it) => it.state === 'taken')?.runId;
  // What is on its way may be refused, and then there is no chat.
  const isBorn =
    threadId === undefined && items.some(({ state }) => state === 'taken' || state === 'waiting');
  useEffect(() => {
    if (isBorn) onBorn(newThreadId);
  }, [isBorn, onBorn, newThreadId]);
  useEffect(() => {
    if (taken === undefined) return;
    // Joined at once where nothing else runs, as far as this page knows.
    queryClient.setQueryData<ThreadRuns>(runsOf(target), (it = NO_RUNS) => {
      if (it.active !== undefined || it.ended.has(taken)) return it;
      const active = { run_id: taken, status: 'pending' };
      return { ...it, active, latest: active };
    });
    queryClient.invalidateQueries({ queryKey: runsOf(target) }).catch(reportError);
    refreshThreads(queryClient).catch(reportError);
  }, [queryClient, target, taken]);
  return {
    items,
    send: ({ text, files }, options) => {
      const isNew = threadId === undefined || items.some((it) => it.isNew && it.state !== 'taken');
      outbox.add({ threadId: target, isNew, text, files: [...files], options });
    },
  };
}
