// Checkpoints: a tree per thread, each a delta on its parent (docs/decisions/0005-delta-checkpoints.md).
import type { Json, JsonObject } from '../messages/message.ts';
import type { MessageRevision } from './run-events.ts';
import type { ThreadStatus } from './threads.ts';

export type CheckpointSource = 'input' | 'loop' | 'update' | 'fork';

export interface CheckpointRecord {
  readonly checkpointId: string;
  /** The thread that was asked for it; a copy sees checkpoints that other threads have made. */
  readonly threadId: string;
  readonly parentId: string | null;
  readonly runId: string | null;
  /** Empty for the thread's own; else that of the sub-agent which stands here, with a line of its own. */
  readonly namespace: string;
  /** Rises by one from parent to child; the first one of a thread is -1. */
  readonly step: number;
  readonly source: CheckpointSource;
  /** The node whose step this is: `model`, `tools`, or `null` for an input. */
  readonly node: string | null;
  /** Bytes of snapshot and deltas that a fold of this checkpoint reads. */
  readonly foldBytes: number;
  readonly next: readonly string[];
  readonly tasks: readonly Json[];
  readonly metadata: JsonObject;
  readonly createdAt: number;
}

/** What a state is made of, which may be as large as a thread. */
export interface CheckpointTexts {
  /** JSON text of the `StateDelta`. */
  readonly delta: string;
  /** JSON text of the whole state as one delta on nothing; `null` on most checkpoints. */
  readonly snapshot: string | null;
}

export type WholeCheckpoint = CheckpointRecord & CheckpointTexts;

export type NewCheckpoint = Omit<WholeCheckpoint, 'threadId'>;

export interface CheckpointQuery {
  readonly limit: number;
  /** Only checkpoints older than this one. */
  readonly before?: string;
  /** Only these; unknown ones are left out. */
  readonly ids?: readonly string[];
  /** Absent: the thread's own. */
  readonly namespace?: string;
}

export interface AppendOptions {
  /** The head that the caller has seen; `null` on a thread without state. */
  readonly expectedHead: string | null;
  readonly displayName?: string | undefined;
  /** What the checkpoint does to messages that were there. */
  readonly revisions?: readonly MessageRevision[];
  /** It changes what was said, so the thread counts as active now. */
  readonly isActivity?: boolean;
  /** What the thread is from now on; absent: as it was. */
  readonly status?: Exclude<ThreadStatus, 'busy'> | undefined;
}

export interface CurrentHead {
  /** `undefined` on a thread without state. */
  readonly head: CheckpointRecord | undefined;
  /** When the newest checkpoint was made that the thread has of its own, on whichever branch; 0 for none. */
  readonly newestAt: number;
}

/**
 * A thread sees its own checkpoints. A copy also sees the checkpoint that it was copied at with all its ancestors,
 * whichever thread made them and whether it still exists.
 */
export interface CheckpointRepository {
  get(threadId: string, checkpointId: string): Promise<CheckpointRecord | undefined>;
  /** The JSON text of the change that the checkpoint is; `undefined` as with `get`. */
  delta(threadId: string, checkpointId: string): Promise<string | undefined>;
  /** What folding the states at which these threads stand reads, in bytes, all together; of unknown threads nothing. */
  headBytes(threadIds: readonly string[]): Promise<number>;
  /** Newest first, all branches; those of one namespace. */
  list(threadId: string, query: CheckpointQuery): Promise<readonly CheckpointRecord[]>;
  /** Where the thread stands; `undefined` when the owner has no such thread. */
  current(threadId: string): Promise<CurrentHead | undefined>;
  /**
   * What folds to this checkpoint: its texts from the nearest snapshot on, oldest first, read a bounded amount at a time.
   * The first is the snapshot (or the root's delta), the rest deltas. Empty when the thread does not see the checkpoint,
   * or no longer.
   */
  lineage(threadId: string, checkpointId: string): Promise<readonly string[]>;
  /**
   * Adds a checkpoint outside of a run and makes it the thread's head, only while the head still is the expected
   * one and no run is active: else `'busy'`. Its parent may be any checkpoint that the thread sees (a branch), or
   * none: else `'no_parent'`. `'no_thread'` when the owner has no such thread.
   */
  append(
    threadId: string,
    checkpoint: NewCheckpoint,
    options: AppendOptions,
  ): Promise<'appended' | 'busy' | 'no_parent' | 'no_thread'>;
}
