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
  /** What the checkpoints do to messages that were there. */
  readonly revisions: readonly MessageRevision[];
  /** Ids of messages that the run has recorded though they were there. */
  readonly repeated: readonly string[];
  readonly run: RunPatch | undefined;
  /** Model calls that ended; added to the days of the owner. The totals of the run are in its patch. */
  readonly spent: readonly SpentCall[];
  /** Begun by calls whose results are among the changes. */
  readonly backgroundTasks: readonly NewBackgroundTask[];
  /** Ids of budget reservations of calls that are over; `all` those of the run. */
  readonly released: readonly string[] | 'all';
  /** `status`, `displayName` and `headCheckpointId` of the run's thread. */
  readonly thread: ThreadChange | undefined;
}

export interface ThreadChange {
  /**
   * `as_before`: what the runs that ended before leave the thread in. Whatever it says, the thread stays `busy` while
   * another of its runs is pending.
   */
  readonly status?: ThreadStatus | 'as_before';
  readonly displayName?: string;
  /** `null`: the thread has no state any more. */
  readonly headCheckpointId?: string | null;
  /** The run goes on from this checkpoint, not from the head: what the thread leaves behind is no message of it now. */
  readonly branchedAt?: string;
  /** A run that stood here is undone, and the thread is at `headCheckpointId` again, as it was before. */
  readonly returnedFrom?: string | null;
  /** What `prepareMove` said of either. A commit without it throws. */
  readonly move?: HeadMove;
}

/** A move of the head of a thread that was prepared; `null`: from or to no state. */
export interface HeadMove {
  readonly fromId: string | null;
  readonly toId: string | null;
  /** Names what was written down for it; `null`: nothing. */
  readonly token: string | null;
}

/** What a run has said, as it is logged before it is sorted into the run's own rows. */
export interface RunPieces extends FrameRow {
  readonly runId: string;
}

/** A commit as one of the process that makes it, and what it does to the log of that process. */
export interface LogFlush {
  readonly workerId: string;
  /** The number of the commit, greater than those before. One that is committed already is not written again. */
  readonly flush: number;
  /** The number of the last commit that was acknowledged; 0: none. */
  readonly after: number;
  /** Of runs that report nothing else. */
  readonly pieces: readonly RunPieces[];
  /** What was logged up to this flush is in the runs' own rows with this commit. Absent: nothing more than before. */
  readonly sortedTo?: number;
}

/** What of a commit was not written: ids of runs. */
export interface CommitOutcome {
  /** Their attempt is not this worker's any more, or it is over. */
  readonly lost: readonly string[];
  /** Somebody holds their thread: the same changes, with whatever follows them, are to be committed again. */
  readonly blocked: readonly string[];
}

interface AskedMove extends Pick<HeadMove, 'fromId' | 'toId'> {
  readonly runId: string;
  readonly attempt: number;
}

export interface RunCommits {
  /**
   * Writes down what a move of the thread's head by this attempt of a run makes of its messages, a bounded amount at a
   * time: the transaction that moves it has one row left to write for it. It holds until another move of the thread is
   * prepared. `undefined` when the attempt is not the run's current one any more.
   */
  prepareMove(threadId: string, move: AskedMove): Promise<HeadMove | undefined>;
  /**
   * Goes on with what follows a move, a bounded amount at a time; `false` when nothing is left. What readers see is the
   * same before and after.
   */
  settleNext(): Promise<boolean>;
  /**
   * Writes all changes and the pieces of the log in one transaction, or none of them. A change whose attempt is not the
   * run's current one, or not this worker's, or whose run is no longer `running`, is left out as `lost`. All are lost when
   * the worker is fenced, or the database has lost a commit that it had acknowledged: then it is fenced now. One whose
   * thread somebody else holds is left out as `blocked`, so that nobody waits for it; rows of the log are then not removed.
   * Throws `unavailable` when the outcome is unknown or the transaction failed as a whole; the same may then be committed
   * again. Nobody is told of what they say before `onDisk`.
   */
  commit(changes: readonly RunChange[], now: number, log?: LogFlush): Promise<CommitOutcome>;
  /** Resolves when everything that was committed until now is on the disk. Throws `unavailable` when the disk refuses. */
  onDisk(): Promise<void>;
}
