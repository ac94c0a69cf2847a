// Keeps a conversation in sync with its thread: joins runs, and loads changes from elsewhere.
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
  /** True while something is being sent. The page reads the run that it starts anyway. */
  readonly isSending: boolean;
  readonly onReload: () => void;
}

/** A position after the last event of any run: the stream repeats no event, and the state is loaded. */
const BEHIND_ALL = '999999999999999';
/** The state of the page's own run arrives within this time after the change is announced. */
const SETTLE_MS = 1_000;

/**
 * Follows the runs of the thread. `isCatchingUp` is true while the stream is busy but no reply is being
 * written.
 */
export function useFollow({ threadId, stream, runs, headId, isSending, onReload }: FollowOptions) {
  const [isCatchingUp, setCatchingUp] = useState(false);
  const change = useThreadChange(threadId);
  const handledChange = useRef(change);
  /** The newest run that this page has read or is reading. Null for none. */
  const read = useRef<string | null>(undefined);
  const isReading = stream.isLoading && !isCatchingUp;
  const isFree = threadId !== undefined && !stream.isLoading && !stream.isThreadLoading && !isSending;

  useEffect(() => {
    // The stream hook joins the remembered run itself when the thread opens.
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
    /** Whether the shown state includes everything of the ended run. */
    hasRead: (runId: string) => isFree && read.current === runId,
    /** Called for a run that this page started and reads anyway. */
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
  /** True when no state of the thread is shown. */
  readonly isBlank: boolean;
}

/** Decides which run to read. Opening a thread reads its latest run, unless no state is shown. */
function nextStep({ active, latest }: ThreadRuns, { read, isBlank }: WhatIsRead): NextStep {
  if (active !== undefined && active.run_id !== read) return { kind: 'join', runId: active.run_id };
  if (active !== undefined) return { kind: 'rest', read };
  if (read === undefined && !isBlank) return { kind: 'rest', read: latest?.run_id ?? null };
  return latest === undefined || latest.run_id === read ? { kind: 'rest', read } : { kind: 'catch_up' };
}
