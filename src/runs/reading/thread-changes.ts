// Changes of a user's threads, for readers that show a list of them.
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadMarks, ThreadRecord } from '../../storage/threads.ts';
import { type CancelTimer, pause, type Timers } from '../../timers.ts';
import { type Watch, Watches } from '../log/watches.ts';

export type ThreadChange =
  | { readonly kind: 'changed'; readonly thread: ThreadRecord }
  | { readonly kind: 'deleted'; readonly threadId: string };

interface ThreadsReader {
  readonly userId: string;
  readonly repositories: Repositories;
  readonly signal: AbortSignal;
}

export type ThreadChanges = ReturnType<typeof createThreadChanges>;

interface ThreadChangesParts {
  readonly marks: ThreadMarks;
  /** How often the threads of all followed users are polled for changes without a notice. */
  readonly pollAfterMs: () => number;
  readonly timers: Timers;
}

const NEWEST = { limit: 100, offset: 0, sortBy: 'updated_at', sortOrder: 'desc' } as const;
/** At most so many older threads are read for one batch. */
const MAX_NAMED = 100;
/** Changes within this time go out as one batch. */
const GATHER_MS = 100;

export function createThreadChanges({ marks, pollAfterMs, timers }: ThreadChangesParts) {
  const followed = new Map<string, Followed>();
  const watches = new Watches();
  let cancelPoll: CancelTimer | undefined;
  let isClosed = false;

  const poll = async (): Promise<void> => {
    const found = await marks.newest([...followed.keys()]);
    for (const [userId, it] of followed) {
      const mark = found.get(userId) ?? '';
      if (it.mark !== mark) watches.wake(userId);
      it.mark = mark;
    }
  };
  let isPolling = false;
  const pollNow = (): void => {
    cancelPoll?.();
    cancelPoll = undefined;
    if (isPolling) return;
    isPolling = true;
    // Ignored: a database that does not respond reports no change.
    poll()
      .catch(() => undefined)
      .finally(() => {
        isPolling = false;
        pollLater();
      });
  };
  const pollLater = (): void => {
    if (followed.size === 0 || isPolling) return;
    cancelPoll ??= timers.idlyAfter(pollAfterMs(), () => {
      cancelPoll = undefined;
      if (followed.size > 0) pollNow();
    });
  };

  return {
    /** Reports that threads of the user may have changed here; `threadId` may be an old one, or deleted. */
    announce(userId: string | null, threadId?: string): void {
      if (userId === null) return;
      for (const named of followed.get(userId)?.named ?? [])
        if (threadId !== undefined && named.size < MAX_NAMED) named.add(threadId);
      watches.wake(userId);
    },
    /** Checks now, because other processes may have changed threads without a notice. */
    checkNow(): void {
      if (followed.size > 0) pollNow();
    },
    /** Ends all readers, because nothing changes here any more. */
    close(): void {
      isClosed = true;
      watches.wakeAll();
    },
    /**
     * Yields changes from now on: first an empty batch, once nothing will be missed any more, then the threads
     * as they are after a change, several changes of one as one. Covers the 100 threads that changed last, and
     * of older ones what this process does. Changes of other processes are found by polling, so a deletion of
     * an older thread there may be missed.
     */
    async *read(reader: ThreadsReader): AsyncGenerator<readonly ThreadChange[], void, void> {
      const { userId, signal } = reader;
      const it = followed.get(userId) ?? { named: new Set(), mark: undefined };
      followed.set(userId, it);
      pollLater();
      const named = new Set<string>();
      it.named.add(named);
      const watch = watches.watch(userId, { signal, timers });
      const isOver = (): boolean => isClosed || signal.aborted;
      try {
        yield* changesFor(reader, { watch, named, isOver, gather: () => pause(timers, GATHER_MS) });
      } finally {
        watch.stop();
        it.named.delete(named);
        if (it.named.size === 0 && followed.get(userId) === it) followed.delete(userId);
      }
    },
  };
}

interface Following {
  readonly watch: Watch;
  /** The threads that were named since the last read. */
  readonly named: Set<string>;
  /** True when the reader has left, or nothing changes here any more. */
  readonly isOver: () => boolean;
  /** Waits between a change and the read of it. */
  readonly gather: () => Promise<void>;
}

async function* changesFor(
  { repositories }: ThreadsReader,
  { watch, named, isOver, gather }: Following,
): AsyncGenerator<readonly ThreadChange[], void, void> {
  let known = byId(await repositories.threads.search(NEWEST));
  yield [];
  while (!isOver()) {
    await watch.woken();
    await gather();
    if (isOver()) return;
    watch.begin();
    const taken = new Set(named);
    named.clear();
    const { changes, newest } = await compared(repositories, known, taken);
    known = newest;
    if (changes.length > 0) yield changes;
  }
}

interface Followed {
  /** For each reader the threads that were named to it. */
  readonly named: Set<Set<string>>;
  /** As of the last poll; `undefined` before the first one, which cannot know what happened before it. */
  mark: string | undefined;
}

type KnownThreads = ReadonlyMap<string, ThreadRecord>;

function byId(threads: readonly ThreadRecord[]): KnownThreads {
  return new Map(threads.map((thread) => [thread.threadId, thread]));
}

async function compared(
  { threads }: Repositories,
  known: KnownThreads,
  named: ReadonlySet<string>,
): Promise<{ readonly changes: readonly ThreadChange[]; readonly newest: KnownThreads }> {
  const newest = byId(await threads.search(NEWEST));
  const changes = [...newest.values()]
    .filter((thread) => !isSame(thread, known.get(thread.threadId)))
    .map((thread): ThreadChange => ({ kind: 'changed', thread }));
  const elsewhere = new Set([...known.keys(), ...named].filter((threadId) => !newest.has(threadId)));
  for (const threadId of elsewhere) {
    const thread = await threads.get(threadId);
    if (thread === undefined) changes.push({ kind: 'deleted', threadId });
    // Other threads took its place among the newest.
    else if (!isSame(thread, known.get(threadId))) changes.push({ kind: 'changed', thread });
  }
  return { changes, newest };
}

function isSame(thread: ThreadRecord, before: ThreadRecord | undefined): boolean {
  return (
    before !== undefined &&
    thread.updatedAt === before.updatedAt &&
    thread.status === before.status &&
    thread.displayName === before.displayName &&
    thread.headCheckpointId === before.headCheckpointId
  );
}
