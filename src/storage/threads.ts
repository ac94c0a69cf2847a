// Thread records: the gateway's metadata row of a conversation, what the service asks of all of them, and their
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
  /** The checkpoint that the thread's state is; `null` before the first run. */
  readonly headCheckpointId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The last time that a run wrote in it, or that a state update changed its messages. */
  readonly stateUpdatedAt: number;
}

export interface NewThread {
  readonly threadId: string;
  readonly metadata: JsonObject;
  readonly assistantId: string | null;
  /** It is made for one run and goes with it (`TemporaryThreads`). */
  readonly temporary?: boolean;
  readonly now: number;
}

export interface ThreadCopy {
  /** The id of the new thread, which nobody may have yet. */
  readonly threadId: string;
  /** All the metadata of the new thread. */
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
   * Idempotent for the owner: an existing record is answered as it is. `'taken'`: the id is somebody else's, or that
   * of a deleted thread whose rows and files are not gone yet.
   */
  create(thread: NewThread): Promise<{ readonly thread: ThreadRecord; readonly created: boolean } | 'taken'>;
  get(threadId: string): Promise<ThreadRecord | undefined>;
  /** Sorted, with the thread id as the tie-break; those of one status by their last change before that. */
  search(query: ThreadQuery): Promise<readonly ThreadRecord[]>;
  count(filter: ThreadFilter): Promise<number>;
  /** `undefined` when the owner has no such thread (an ownerless one included: it is shared for reading only). */
  update(threadId: string, patch: ThreadPatch): Promise<ThreadRecord | undefined>;
  /**
   * An independent, idle thread of the same owner with the state, the title and the assistant that the thread has
   * now; a copy of a shared thread is the reader's own. No checkpoint is copied: both share rows, and neither is
   * affected by the deletion of the other. Runs and events stay with the thread that had them. `undefined` when
   * the owner sees no such thread.
   */
  copy(threadId: string, copy: ThreadCopy): Promise<ThreadRecord | undefined>;
  /**
   * Makes the thread with its runs, events, frames and checkpoints absent for everybody, all at once, and leaves a note that
   * rows and files are to be removed (`ThreadRemovals`), which the caller has taken on until `takenUntil` (default:
   * nobody has). `'active'`: a run of it has not ended; of a run that is admitted at the same time either
   * this hears or the admission finds no thread. `'absent'`: the owner has no such thread.
   * The audit log has it, with the address that it came from.
   */
  delete(
    threadId: string,
    takenUntil?: number,
    clientIp?: string | null,
  ): Promise<'deleted' | 'active' | 'absent'>;
}

/** How far the threads of users have come, for processes that did not change them. */
export interface ThreadMarks {
  /**
   * A text for each of the users who has a thread, which becomes another one when a thread of theirs is made, or changes and
   * is the newest then. One question, whatever the number of users and threads.
   */
  newest(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/**
 * Threads that were made for one stateless run and go with it (docs/contract/runs.md#creating). Of all owners, for the
 * service itself.
 */
export interface TemporaryThreads {
  /**
   * Up to `limit` temporary threads that nobody removed: no run of theirs goes on, and nothing has changed since
   * `before` (epoch milliseconds). Oldest first.
   */
  abandoned(query: { readonly before: number; readonly limit: number }): Promise<readonly ThreadRecord[]>;
}

/** A removal that somebody has taken on until `takenUntil` (epoch milliseconds). */
export interface ThreadRemoval {
  readonly threadId: string;
  /** Whose thread it was. */
  readonly userId: string | null;
  readonly takenUntil: number;
}

/** What a page of rows took with it. */
export interface RemovedRows {
  readonly runIds: readonly string[];
  readonly checkpointIds: readonly string[];
}

/** The notes of deletions whose rows or files are still to be removed. Of all owners, for the service itself. */
export interface ThreadRemovals {
  /**
   * Takes up to `limit` removals whose claims have expired by `now`, and holds them until `takenUntil`; oldest first.
   */
  take(claim: {
    readonly now: number;
    readonly takenUntil: number;
    readonly limit: number;
  }): Promise<readonly ThreadRemoval[]>;
  /**
   * Removes the rows of the thread, but the checkpoints that a copy sees. Each page is a transaction of its own with a bounded
   * number of rows; after it the removal is taken on until `takenUntil()`, as the yielded one says. Left at any page, it
   * goes on where it was with the next call. Throws `conflict` when somebody else has taken the removal on since.
   */
  removeRows(
    removal: ThreadRemoval,
    takenUntil: () => number,
  ): AsyncGenerator<RemovedRows & { readonly removal: ThreadRemoval }>;
  /** Rows and files are gone, and the id of the thread is free again. Does nothing when somebody else has taken it on since. */
  done(removal: ThreadRemoval): Promise<void>;
}
