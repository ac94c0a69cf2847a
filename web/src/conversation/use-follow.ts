// Keeps a conversation in step with its thread: joins runs, and loads what happened elsewhere.
import { useEffect, useRef, useState } from 'react';
import type { ThreadRuns } from '../api/run-calls.ts';
import { useThreadChange } from '../threads/follow-threads.ts';
import { rememberedRunId, rememberRun } from '../threads/thread-runs.ts';

interface JoinableStream {
  readonly isLoading: boolean;
  readonly isThreadLoading: boolean;
  readonly joinStream: (runId: string, lastEventId?: string) => Promise<void>;
}

interface FollowOptions {
  readonly threadId: string | undefined;
  readonly stream: JoinableStream;
  readonly runs: ThreadRuns | undefined;
  /** The checkpoint that is shown. */
  readonly headId: string | undefined;
  /** Something is being sent; the run that it starts is read anyway. */
  readonly isSending: boolean;
  readonly onReload: () => void;
}

/** After the last event of any run: no event is repeated, and the state is loaded. */
const BEHIND_ALL = '999999999999999';
/** The state of the page's own run arrives within this time after the change was announced. */
const SETTLE_MS = 1_000;

/** `isCatchingUp`: the stream is busy, but nothing is being answered. */
export function useFollow({ threadId, stream, runs, headId, isSending, onReload }: FollowOptions) {
  const [isCatchingUp, setCatchingUp] = useState(false);
  const change = useThreadChange(threadId);
  const handledChange = useRef(change);
  /** The newest run that this page has read or is reading; null for none. */
  const read = useRef<string | null>(undefined);
  const isReading = stream.isLoading && !isCatchingUp;
  const isFree = threadId !== undefined && !stream.isLoading && !stream.isThreadLoading && !isSending;

  useEffect(() => {
    // The stream hook joins the remembered run on its own when the thread opens.
    if (isReading && threadId !== undefined) read.current = rememberedRunId(threadId) ?? read.current;
  }, [isReading, threadId]);

  const act = useRef({ join: (_runId: string) => {}, catchUp: () => {} });
  act.current = {
    join: (runId) => {
      if (threadId === undefined) return;
      read.current = runId;
      rememberRun(threadId, runId);
      stream.joinStream(runId).catch(reportError);
    },
    catchUp: () => {
      const latest = runs?.latest?.run_id;
      if (latest === undefined) return onReload();
      read.current = latest;
      setCatchingUp(true);
      stream
        .joinStream(latest, BEHIND_ALL)
        .catch(reportError)
        .finally(() => setCatchingUp(false));
    },
  };

  useEffect(() => {
    if (!isFree || runs === undefined) return;
    const next = nextStep(runs, { read: read.current, isBlank: headId === undefined });
    if (next.kind === 'join') act.current.join(next.runId);
    else if (next.kind === 'catch_up') act.current.catchUp();
    else read.current = next.read;
  }, [isFree, runs, headId]);

  useEffect(() => {
    if (change === handledChange.current) return;
    if (change?.kind === 'deleted') {
      handledChange.current = change;
      onReload();
      return;
    }
    if (!isFree || runs?.active !== undefined || change === undefined) return;
    if (change.checkpointId === null || change.checkpointId === headId) {
      handledChange.current = change;
      return;
    }
    const settled = setTimeout(() => {
      handledChange.current = change;
      act.current.catchUp();
    }, SETTLE_MS);
    return () => clearTimeout(settled);
  }, [change, headId, isFree, runs, onReload]);

  return {
    isCatchingUp,
    /** Whether the state that is shown includes everything of the ended run. */
    hasRead: (runId: string) => isFree && read.current === runId,
    /** Called for a run that this page started, which is read anyway. */
    started: (runId: string) => {
      read.current = runId;
    },
  };
}

type NextStep =
  | { readonly kind: 'join'; readonly runId: string }
  | { readonly kind: 'catch_up' }
  | { readonly kind: 'rest'; readonly read: string | null | undefined };

interface WhatIsRead {
  /** The newest run that was read. */
  readonly read: string | null | undefined;
  /** No state of the thread is shown. */
  readonly isBlank: boolean;
}

/** Opening a thread reads its latest run, unless no state is shown. */
function nextStep({ active, latest }: ThreadRuns, { read, isBlank }: WhatIsRead): NextStep {
  if (active !== undefined && active.run_id !== read) return { kind: 'join', runId: active.run_id };
  if (active !== undefined) return { kind: 'rest', read };
  if (read === undefined && !isBlank) return { kind: 'rest', read: latest?.run_id ?? null };
  return latest === undefined || latest.run_id === read ? { kind: 'rest', read } : { kind: 'catch_up' };
}
