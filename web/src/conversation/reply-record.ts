// The record of the replies of a thread, loaded page by page: their runs, ratings and usage.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { ReplyPage, ReplyRating, Run, RunUsage } from '../api/shapes.ts';
import { useServices } from '../services/services.tsx';
import type { Fork } from './branches.ts';
import type { Turn } from './turns.ts';

export interface KnownReplies {
  /** The run of each message, keyed by message id. */
  readonly runOfMessage: ReadonlyMap<string, string>;
  /** Keyed by the id of the reply. */
  readonly replies: ReadonlyMap<string, ReplyRating>;
  /** Keyed by run id. */
  readonly usage: ReadonlyMap<string, RunUsage>;
  /** True when there are older replies that are not loaded yet. */
  readonly hasOlder: boolean;
}

export interface ReplyRecord {
  readonly known: () => KnownReplies;
  readonly subscribe: (listener: () => void) => () => void;
  /** Loads the newest replies, back to those already loaded. Never rejects: after an error, less is known. */
  readonly readNewest: () => Promise<void>;
  /** Loads one more page. Does nothing while one is being loaded. */
  readonly readOlder: () => Promise<void>;
  readonly show: (reply: ReplyRating) => void;
}

interface ReplyReader {
  readonly repliesBefore: (threadId: string, seq: number | undefined) => Promise<ReplyPage>;
  /** Newest first. An empty list after the oldest one. */
  readonly runUsage: (threadId: string, offset: number) => Promise<readonly RunUsage[]>;
}

const NOTHING_KNOWN: KnownReplies = {
  runOfMessage: new Map(),
  replies: new Map(),
  usage: new Map(),
  hasOlder: false,
};

/** The most pages per load: runs without a reply lie between those with one. */
const MOST_PAGES = 5;

function createReplyRecord(api: ReplyReader, threadId: string): ReplyRecord {
  let known = NOTHING_KNOWN;
  /** The position before which nothing is loaded. Null at the beginning of the thread. */
  let oldest: number | null | undefined;
  let runsRead = 0;
  let last: Promise<void> = Promise.resolve();
  let isReadingOlder = false;
  const listeners = new Set<() => void>();

  function change(next: Partial<KnownReplies>): void {
    known = { ...known, ...next };
    for (const listener of listeners) listener();
  }

  function add({ messages, replies }: ReplyPage): void {
    change({
      runOfMessage: new Map([
        ...known.runOfMessage,
        ...messages.map(({ id, runId }) => [id, runId] as const),
      ]),
      replies: new Map([...known.replies, ...replies.map((it) => [it.replyId, it] as const)]),
      hasOlder: oldest !== null && oldest !== undefined,
    });
  }

  async function addUsage(offset: number): Promise<number> {
    const runs = await api.runUsage(threadId, offset);
    change({ usage: new Map([...known.usage, ...runs.map((run) => [run.run_id, run] as const)]) });
    return runs.length;
  }

  async function addUsageOf({ messages }: ReplyPage): Promise<void> {
    for (let page = 0; page < MOST_PAGES; page++) {
      if (messages.every(({ runId }) => known.usage.has(runId))) return;
      const length = await addUsage(runsRead);
      if (length === 0) return;
      runsRead += length;
    }
  }

  async function newest(): Promise<void> {
    const isFirst = oldest === undefined;
    const before = known.runOfMessage;
    let read = await api.repliesBefore(threadId, undefined);
    if (isFirst) oldest = read.next;
    add(read);
    runsRead = Math.max(runsRead, await addUsage(0));
    // Continue until the pages reach what is already loaded.
    for (let page = 1; page < MOST_PAGES && !isFirst; page++) {
      if (read.next === null || read.messages.some(({ id }) => before.has(id))) return;
      read = await api.repliesBefore(threadId, read.next);
      add(read);
    }
  }

  async function older(): Promise<void> {
    if (oldest === null || oldest === undefined) return;
    const read = await api.repliesBefore(threadId, oldest);
    oldest = read.next;
    add(read);
    await addUsageOf(read);
  }

  /** Runs one load at a time. After a failure, the next reply loads again. */
  function queue(reading: () => Promise<void>): Promise<void> {
    last = last.then(reading).catch(() => {});
    return last;
  }

  return {
    known: () => known,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    readNewest: () => queue(newest),
    readOlder: async () => {
      if (isReadingOlder) return;
      isReadingOlder = true;
      await queue(older);
      isReadingOlder = false;
      // A caller that was ignored during the load has to ask again.
      change({});
    },
    show: (reply) => change({ replies: new Map(known.replies).set(reply.replyId, reply) }),
  };
}

const NO_RECORD: ReplyRecord = {
  known: () => NOTHING_KNOWN,
  subscribe: () => () => {},
  readNewest: async () => {},
  readOlder: async () => {},
  show: () => {},
};
const RecordContext = createContext(NO_RECORD);

export const ReplyRecordProvider = RecordContext.Provider;

/**
 * Loads more when `newest`, the id of the last reply, changes. The record stays cached for a while after the
 * person leaves the chat.
 */
export function useNewReplyRecord(threadId: string | undefined, newest: string | undefined) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  const record = useMemo(() => {
    if (threadId === undefined) return NO_RECORD;
    const key = ['answer-record', threadId];
    const made = queryClient.getQueryData<ReplyRecord>(key) ?? createReplyRecord(api, threadId);
    queryClient.setQueryData(key, made);
    return made;
  }, [api, queryClient, threadId]);
  useEffect(() => {
    if (newest !== undefined) record.readNewest().catch(reportError);
  }, [record, newest]);
  return record;
}

export function useReplyRecord(): ReplyRecord {
  return useContext(RecordContext);
}

export function useKnownReplies(): KnownReplies {
  const { subscribe, known } = useReplyRecord();
  return useSyncExternalStore(subscribe, known);
}

/** Loads older replies until those of the visible turn are known. */
export function useRepliesOf({ human, steps }: Turn): void {
  const { readOlder } = useReplyRecord();
  const known = useKnownReplies();
  const isRead = [human, ...steps].some((it) => it !== undefined && known.runOfMessage.has(it.id));
  useEffect(() => {
    if (!isRead && known.hasOlder) readOlder().catch(reportError);
  }, [isRead, known, readOlder]);
}

interface TurnRunsOptions {
  readonly turn: Turn;
  /** Set when the reply has other versions. */
  readonly replyFork: Fork | undefined;
  /** The newest run, for the last turn only. It may have no output yet. */
  readonly latestRun?: Run | undefined;
}

interface TurnRuns {
  readonly runIds: readonly string[];
  /** The loaded runs, newest last. */
  readonly runs: readonly RunUsage[];
}

export function useTurnRuns({ turn, replyFork, latestRun }: TurnRunsOptions): TurnRuns {
  const { runOfMessage, usage } = useKnownReplies();
  const asked = turn.human === undefined ? undefined : runOfMessage.get(turn.human.id);
  // A completed run whose reply is not here wrote another version.
  const isElsewhere =
    replyFork !== undefined || (asked !== undefined && usage.get(asked)?.stop_reason === 'completed');
  const own = new Set([
    ...(asked === undefined || isElsewhere ? [] : [asked]),
    ...turn.steps.flatMap(({ id }) => runOfMessage.get(id) ?? []),
  ]);
  const isOther = (runId: string) => !own.has(runId) && [...runOfMessage.values()].includes(runId);
  const newest = latestRun === undefined || isOther(latestRun.run_id) ? undefined : latestRun;
  const earlier = [...own].filter((runId) => runId !== newest?.run_id);
  const runs = earlier.flatMap((runId) => usage.get(runId) ?? []);
  if (newest === undefined) return { runIds: earlier, runs };
  return { runIds: [...earlier, newest.run_id], runs: [...runs, newest] };
}
