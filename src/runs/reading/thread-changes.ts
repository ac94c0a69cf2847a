// Changes of a user's threads, for readers that show a list of them.
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadMarks, ThreadRecord } from '../../storage/threads.ts';
import { type CancelTimer, pause, REAL_TIMERS, type Timers } from '../../timers.ts';

export type ThreadChange =
  | { readonly kind: 'changed'; readonly thread: ThreadRecord }
  | { readonly kind: 'deleted'; readonly threadId: string };

interface ThreadsReader {
  readonly userId: string;
  readonly repositories: Repositories;
  readonly signal: AbortSignal;
}

export interface ThreadChanges {
  /** Reports that threads of the user may have changed here; `threadId` may be an old one, or deleted. */
  announce(userId: string | null, threadId?: string): void;
  /**
   * Yields changes from now on: first an empty batch, once nothing will be missed any more, then the threads
   * as they are after a change, several changes of one as one. Covers the 100 threads that changed last, and
   * of older ones what this process does. Changes of other processes are found by polling, so a deletion of
   * an older thread there may be missed.
   */
  read(reader: ThreadsReader): AsyncGenerator<readonly ThreadChange[], void, void>;
  /** Checks now, because other processes may have changed threads without a notice. */
  checkNow(): void;
  /** Ends all readers, because nothing changes here any more. */
  close(): void;
}

interface ThreadChangesParts {
  readonly marks: ThreadMarks;
  /** How often the threads of all followed users are polled for changes without a notice. */
  readonly pollAfterMs: () => number;
  readonly timers?: Timers;
}

const NEWEST = { limit: 100, offset: 0, sortBy: 'updated_at', sortOrder: 'desc' } as const;
/** At most so many older threads are read for one batch. */
const MAX_NAMED = 100;
/** Changes within this time go out as one batch. */
const GATHER_MS = 100;

export function createThreadChanges({
  marks,
  pollAfterMs,
  timers = REAL_TIMERS,
}: ThreadChangesParts): ThreadChanges {
  const followed = new Map<string, Followed>();
  let cancelPoll: CancelTimer | undefined;
  let isClosed = false;

  const poll = async (): Promise<void> => {
    const found = await marks.newest([...followed.keys()]);
    for (const [userId, it] of followed) {
      const mark = found.get(userId) ?? '';
      if (it.mark !== mark) for (const watcher of it.watchers) watcher.wake();
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

  const watch = (userId: string): ThreadsWatcher => {
    const it = followed.get(userId) ?? { watchers: new Set<ThreadsWatcher>(), mark: undefined };
    followed.set(userId, it);
    pollLater();
    const watcher = new ThreadsWatcher(() => {
      it.watchers.delete(watcher);
      if (it.watchers.size === 0 && followed.get(userId) === it) followed.delete(userId);
    });
    it.watchers.add(watcher);
    return watcher;
  };

  return {
    announce(userId, threadId) {
      if (userId === null) return;
      for (const watcher of followed.get(userId)?.watchers ?? []) watcher.wake(threadId);
    },
    checkNow() {
      if (followed.size > 0) pollNow();
    },
    close() {
      isClosed = true;
      for (const { watchers } of followed.values()) for (const watcher of watchers) watcher.wake();
    },
    async *read(reader) {
      const { userId, signal } = reader;
      const watcher = watch(userId);
      const wake = (): void => watcher.wake();
      const isOver = (): boolean => isClosed || signal.aborted;
      signal.addEventListener('abort', wake, { once: true });
      try {
        yield* changesFor(reader, { watcher, isOver, gather: () => pause(timers, GATHER_MS) });
      } finally {
        watcher.stop();
        signal.removeEventListener('abort', wake);
      }
    },
  };
}

interface Following {
  readonly watcher: ThreadsWatcher;
  /** True when the reader has left, or nothing changes here any more. */
  readonly isOver: () => boolean;
  /** Waits between a change and the read of it. */
  readonly gather: () => Promise<void>;
}

async function* changesFor(
  { repositories }: ThreadsReader,
  { watcher, isOver, gather }: Following,
): AsyncGenerator<readonly ThreadChange[], void, void> {
  let known = byId(await repositories.threads.search(NEWEST));
  yield [];
  while (!isOver()) {
    await watcher.changed();
    await gather();
    if (isOver()) return;
    const { changes, newest } = await compared(repositories, known, watcher.take());
    known = newest;
    if (changes.length > 0) yield changes;
  }
}

interface Followed {
  readonly watchers: Set<ThreadsWatcher>;
  /** As of the last poll; `undefined` before the first one, which cannot know what happened before it. */
  mark: string | undefined;
}

class ThreadsWatcher {
  readonly stop: () => void;
  readonly #named = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(stop: () => void) {
    this.stop = stop;
  }

  wake(threadId?: string): void {
    if (threadId !== undefined && this.#named.size < MAX_NAMED) this.#named.add(threadId);
    this.#changed.resolve();
  }

  /** Resolves when something has happened since the last `take`. */
  changed(): Promise<void> {
    return this.#changed.promise;
  }

  take(): ReadonlySet<string> {
    const named = new Set(this.#named);
    this.#named.clear();
    this.#changed = Promise.withResolvers();
    return named;
  }
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
