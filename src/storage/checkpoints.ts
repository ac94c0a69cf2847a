// Checkpoints: a tree per thread, each a delta to its parent (docs/decisions/0005-delta-checkpoints.md).
import type { Json, JsonObject } from '../messages/message.ts';
import type { MessageRevision } from './run-events.ts';
import type { ThreadStatus } from './threads.ts';

type CheckpointSource = 'input' | 'loop' | 'update' | 'fork';

export interface CheckpointRecord {
  readonly checkpointId: string;
  /** The thread through which it was read. A copy sees checkpoints that other threads have made. */
  readonly threadId: string;
  readonly parentId: string | null;
  readonly runId: string | null;
  /** Empty for the thread's own lineage; otherwise names the sub-agent, which has its own lineage. */
  readonly namespace: string;
  /** Rises by one from parent to child. The first checkpoint of a thread has -1. */
  readonly step: number;
  readonly source: CheckpointSource;
  /** The node that took this step: `model`, `tools`, or `null` for an input. */
  readonly node: string | null;
  /** Bytes of the snapshot and deltas that a fold of this checkpoint reads. */
  readonly foldBytes: number;
  readonly next: readonly string[];
  readonly tasks: readonly Json[];
  readonly metadata: JsonObject;
  readonly createdAt: number;
}

/** The texts from which a state is folded. They can be as large as a thread. */
export interface CheckpointTexts {
  /** JSON text of the `StateDelta`. */
  readonly delta: string;
  /** JSON text of the whole state as one delta to the empty state; `null` on most checkpoints. */
  readonly snapshot: string | null;
}

export type WholeCheckpoint = CheckpointRecord & CheckpointTexts;

export type NewCheckpoint = Omit<WholeCheckpoint, 'threadId'>;

export interface CheckpointQuery {
  readonly limit: number;
  /** Only checkpoints older than this one. */
  readonly before?: string;
  /** Only these checkpoints. Unknown ids are ignored. */
  readonly ids?: readonly string[];
  /** Absent: the thread's own namespace. */
  readonly namespace?: string;
}

export interface AppendOptions {
  /** The head that the caller has read; `null` on a thread without state. */
  readonly expectedHead: string | null;
  readonly displayName?: string | undefined;
  /** Changes by the checkpoint to messages that existed before. */
  readonly revisions?: readonly MessageRevision[];
  /** True when it changes messages, so the thread counts as active now. */
  readonly isActivity?: boolean;
  /** The new status of the thread; absent: unchanged. */
  readonly status?: Exclude<ThreadStatus, 'busy'> | undefined;
}

export interface CurrentHead {
  /** `undefined` on a thread without state. */
  readonly head: CheckpointRecord | undefined;
  /** Time of the newest of the thread's own checkpoints, on any branch; 0 for none. */
  readonly newestAt: number;
}

/**
 * A thread sees its own checkpoints. A copy also sees the checkpoint at which it was copied, with all its
 * ancestors, whichever thread made them and whether or not that thread still exists.
 */
export interface CheckpointRepository {
  get(threadId: string, checkpointId: string): Promise<CheckpointRecord | undefined>;
  /** Returns the checkpoint's delta as JSON text; `undefined` as with `get`. */
  delta(threadId: string, checkpointId: string): Promise<string | undefined>;
  /** Returns the total bytes that folding the heads of these threads reads. Unknown threads count nothing. */
  headBytes(threadIds: readonly string[]): Promise<number>;
  /** Returns checkpoints of one namespace, of all branches, newest first. */
  list(threadId: string, query: CheckpointQuery): Promise<readonly CheckpointRecord[]>;
  /** Returns the thread's head; `undefined` when the owner has no such thread. */
  current(threadId: string): Promise<CurrentHead | undefined>;
  /**
   * Returns the texts that fold to this checkpoint, from the nearest snapshot on, oldest first, read a
   * bounded amount at a time. The first is the snapshot (or the root's delta), the others are deltas. Empty
   * when the thread does not see the checkpoint, or no longer does.
   */
  lineage(threadId: string, checkpointId: string): Promise<readonly string[]>;
  /**
   * Adds a checkpoint outside a run and makes it the thread's head. Returns `'busy'` when the head is not the
   * expected one or a run is active. The parent may be any checkpoint that the thread sees (a branch), or
   * none; any other parent yields `'no_parent'`. `'no_thread'`: the owner has no such thread.
   */
  append(
    threadId: string,
    checkpoint: NewCheckpoint,
    options: AppendOptions,
  ): Promise<'appended' | 'busy' | 'no_parent' | 'no_thread'>;
}
