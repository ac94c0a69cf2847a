// The group commit of what running runs report: one transaction for all of them.
import type { NewBackgroundTask } from './background-tasks.ts';
import type { NewCheckpoint } from './checkpoints.ts';
import type { FrameRow } from './frames.ts';
import type { MessageRevision, NewRunEvent } from './run-events.ts';
import type { RunPatch } from './runs.ts';
import type { ThreadStatus } from './threads.ts';
import type { SpentCall } from './usage.ts';

/** Everything one run reported since its last commit, in order. */
export interface RunChange {
  readonly runId: string;
  readonly threadId: string;
  readonly userId: string | null;
  readonly attempt: number;
  readonly frames: FrameRow | undefined;
  readonly events: readonly NewRunEvent[];
  readonly checkpoints: readonly NewCheckpoint[];
  /** Changes by the checkpoints to messages that existed before. */
  readonly revisions: readonly MessageRevision[];
  /** Ids of messages that the run has recorded again. */
  readonly repeated: readonly string[];
  readonly run: RunPatch | undefined;
  /** Model calls that ended, added to the owner's days. The run's totals are in its patch. */
  readonly spent: readonly SpentCall[];
  /** Started by tool calls whose results are among the changes. */
  readonly backgroundTasks: readonly NewBackgroundTask[];
  /** Ids of budget reservations of ended calls; `all`: every reservation of the run. */
  readonly released: readonly string[] | 'all';
  /** `status`, `displayName` and `headCheckpointId` of the run's thread. */
  readonly thread: ThreadChange | undefined;
}

export interface ThreadChange {
  /**
   * `as_before`: the status that follows from the runs that ended before. Whatever the value, the thread
   * stays `busy` while another of its runs is pending.
   */
  readonly status?: ThreadStatus | 'as_before';
  readonly displayName?: string;
  /** `null`: the thread no longer has a state. */
  readonly headCheckpointId?: string | null;
  /**
   * The run continues from this checkpoint instead of the head. Messages that the thread leaves behind are no
   * longer part of the conversation.
   */
  readonly branchedAt?: string;
  /**
   * The former head, from a run that is undone. The thread's head is `headCheckpointId` again, as before the
   * run.
   */
  readonly returnedFrom?: string | null;
  /** The result of `prepareMove` for either move. A commit without it throws. */
  readonly move?: HeadMove;
}

/** A prepared move of a thread's head. `null` as an id: from or to no state. */
export interface HeadMove {
  readonly fromId: string | null;
  readonly toId: string | null;
  /** Names the rows staged for it; `null` for none. */
  readonly token: string | null;
}

/** Events of a run as logged, before they are sorted into the run's own rows. */
export interface RunPieces extends FrameRow {
  readonly runId: string;
}

/** Identifies a commit among those of its process, with its changes to the log of that process. */
export interface LogFlush {
  readonly workerId: string;
  /**
   * The number of the commit, greater than all before it. A commit that was already written is not written
   * again.
   */
  readonly flush: number;
  /** The number of the last acknowledged commit; 0 for none. */
  readonly after: number;
  /** Events of runs that report nothing else. */
  readonly pieces: readonly RunPieces[];
  /**
   * Everything logged up to this flush is in the runs' own rows with this commit. Absent: nothing more than
   * before.
   */
  readonly sortedTo?: number;
}

/** What a commit did not write, as ids of runs. */
export interface CommitOutcome {
  /** Their attempt is over or no longer belongs to this worker. */
  readonly lost: readonly string[];
  /**
   * Their thread is locked by another writer. The same changes must be committed again, with any later ones.
   */
  readonly blocked: readonly string[];
}

interface AskedMove extends Pick<HeadMove, 'fromId' | 'toId'> {
  readonly runId: string;
  readonly attempt: number;
}

export interface RunCommits {
  /**
   * Stages what a move of the thread's head by this attempt of a run changes in its messages, a bounded
   * amount at a time, so that the transaction that moves the head writes one row for it. Valid until another
   * move of the thread is prepared. Returns `undefined` when the attempt is no longer the run's current one.
   */
  prepareMove(threadId: string, move: AskedMove): Promise<HeadMove | undefined>;
  /**
   * Continues the work that follows a move, a bounded amount at a time. Returns `false` when nothing is left.
   * Readers see the same before and after.
   */
  settleNext(): Promise<boolean>;
  /**
   * Writes all changes and the pieces of the log in one transaction, or none of them. Omits as `lost` a
   * change whose attempt is not the run's current one, or not this worker's, or whose run is no longer
   * `running`. All are lost when the worker is fenced, or when the database has lost a commit that it had
   * acknowledged, which fences the worker. Omits as `blocked` a change whose thread is locked by another
   * writer, so that the commit does not wait; then no rows of the log are removed. Throws `unavailable` when
   * the outcome is unknown or the whole transaction failed; the same commit may then be repeated. Readers are
   * not notified of the changes before `onDisk`.
   */
  commit(changes: readonly RunChange[], now: number, log?: LogFlush): Promise<CommitOutcome>;
  /** Resolves when everything committed so far is on disk. Throws `unavailable` when the disk refuses. */
  onDisk(): Promise<void>;
}
