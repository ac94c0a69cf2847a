// Thread records: the metadata row of a conversation, the service's queries over all threads, and their
// removal.
import type { JsonObject } from '../messages/message.ts';

export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';

export interface ThreadRecord {
  readonly threadId: string;
  readonly userId: string | null;
  readonly displayName: string | null;
  readonly status: ThreadStatus;
  readonly metadata: JsonObject;
  readonly assistantId: string | null;
  /** The checkpoint of the thread's state; `null` before the first run. */
  readonly headCheckpointId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The last time a run wrote to it, or a state update changed its messages. */
  readonly stateUpdatedAt: number;
}

export interface NewThread extends Pick<ThreadRecord, 'threadId' | 'metadata' | 'assistantId'> {
  /** True for a thread that is made for one run and removed with it (`TemporaryThreads`). */
  readonly temporary?: boolean;
  readonly now: number;
}

export interface ThreadCopy {
  /** The id of the new thread, which must be unused. */
  readonly threadId: string;
  /** The complete metadata of the new thread. */
  readonly metadata: JsonObject;
  readonly now: number;
}

export interface ThreadPatch {
  /** Merged into the stored metadata, key by key. */
  readonly metadata?: JsonObject;
  readonly displayName?: string;
  readonly now: number;
}

type ThreadSortField = 'thread_id' | 'status' | 'created_at' | 'updated_at' | 'state_updated_at';

export interface ThreadQuery {
  /** Every key must be present with exactly this value (JSON equality). */
  readonly metadata?: JsonObject;
  readonly status?: ThreadStatus;
  readonly ids?: readonly string[];
  readonly limit: number;
  readonly offset: number;
  readonly sortBy: ThreadSortField;
  readonly sortOrder: 'asc' | 'desc';
}

export type ThreadFilter = Pick<ThreadQuery, 'metadata' | 'status' | 'ids'>;

export interface ThreadRepository {
  /**
   * Creates the thread. Idempotent for the owner: an existing record is returned unchanged. `'taken'`: the id
   * belongs to another owner, or to a deleted thread whose rows and files are not gone yet.
   */
  create(thread: NewThread): Promise<{ readonly thread: ThreadRecord; readonly created: boolean } | 'taken'>;
  get(threadId: string): Promise<ThreadRecord | undefined>;
  /**
   * Returns matching threads, sorted, with the thread id as the tie-break. When sorted by `status`, threads
   * of the same status are sorted by `updatedAt` before that.
   */
  search(query: ThreadQuery): Promise<readonly ThreadRecord[]>;
  count(filter: ThreadFilter): Promise<number>;
  /**
   * Updates the thread. Returns `undefined` when the owner has no such thread, or it is ownerless and so
   * shared for reading only.
   */
  update(threadId: string, patch: ThreadPatch): Promise<ThreadRecord | undefined>;
  /**
   * Creates an independent, idle thread of the same owner with the thread's current state, title and
   * assistant. A copy of a shared thread belongs to the reader. No checkpoint is copied: both threads share
   * rows, and deleting one does not affect the other. Runs and events stay with the original thread. Returns
   * `undefined` when the owner sees no such thread.
   */
  copy(threadId: string, copy: ThreadCopy): Promise<ThreadRecord | undefined>;
  /**
   * Makes the thread with its runs, events, frames and checkpoints absent for all owners in one step, and
   * leaves a note that its rows and files must be removed (`ThreadRemovals`). The caller has claimed that
   * removal until `takenUntil` (default: no claim). `'active'`: one of its runs has not ended. When a run is
   * admitted concurrently, either this call sees the run or the admission finds no thread. `'absent'`: the
   * owner has no such thread. The audit log records the deletion, with the client's address.
   */
  delete(
    threadId: string,
    takenUntil?: number,
    clientIp?: string | null,
  ): Promise<'deleted' | 'active' | 'absent'>;
}

/** Marks of the users' newest threads, for processes that did not change them. */
export interface ThreadMarks {
  /**
   * Returns a text for each of the users with a thread. It changes when a thread of the user is created, or
   * changes and is then the newest. Many users share a query, whatever the number of their threads.
   */
  newest(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/**
 * Threads made for one stateless run and removed with it (docs/contract/runs.md#creating). Of all owners, for
 * the service itself.
 */
export interface TemporaryThreads {
  /**
   * Returns up to `limit` temporary threads that were not removed, oldest first: they have no active run, and
   * have not changed since `before` (epoch milliseconds).
   */
  abandoned(query: { readonly before: number; readonly limit: number }): Promise<readonly ThreadRecord[]>;
}

/** A removal that is claimed until `takenUntil` (epoch milliseconds). */
export interface ThreadRemoval {
  readonly threadId: string;
  /** The former owner of the thread. */
  readonly userId: string | null;
  readonly takenUntil: number;
}

/** Ids of the runs and checkpoints that a page of removed rows contained. */
export interface RemovedRows {
  readonly runIds: readonly string[];
  readonly checkpointIds: readonly string[];
}

/** Notes of deletions whose rows or files still have to be removed. Of all owners, for the service itself. */
export interface ThreadRemovals {
  /** Claims up to `limit` removals whose claims expired by `now`, until `takenUntil`, oldest first. */
  take(claim: {
    readonly now: number;
    readonly takenUntil: number;
    readonly limit: number;
  }): Promise<readonly ThreadRemoval[]>;
  /**
   * Removes the rows of the thread, except checkpoints that a copy sees. Each page is its own transaction
   * with a bounded number of rows. After each page the removal is claimed until `takenUntil()`, as the
   * yielded one shows. A caller that stops after a page continues with the next call. Throws `conflict` when
   * another process has claimed the removal since.
   */
  removeRows(
    removal: ThreadRemoval,
    takenUntil: () => number,
  ): AsyncGenerator<RemovedRows & { readonly removal: ThreadRemoval }>;
  /**
   * Removes the note, once rows and files are gone, which frees the id of the thread. Does nothing when
   * another process has claimed the removal since.
   */
  done(removal: ThreadRemoval): Promise<void>;
}
