// Threads as packages: export of a thread, and import, which builds threads invisibly and reveals them
// together.

import type { NewAuditEntry } from './audit-log.ts';
import type { NewCheckpoint, WholeCheckpoint } from './checkpoints.ts';
import type { FeedbackRecord, NewFeedback } from './feedback.ts';
import type { NewRunEvent, RunEventRecord } from './run-events.ts';
import type { RunRecord } from './runs.ts';
import type { ThreadRecord } from './threads.ts';

interface PackagedMarks {
  /** True when a branch has left the message of the event behind. */
  readonly replaced: boolean;
  /** True when the message existed before. */
  readonly repeated: boolean;
}

export type ExportedEvent = RunEventRecord & PackagedMarks;

/**
 * A thread as of one moment. Runs that had not ended are omitted with their checkpoints and events, and the
 * head is the last checkpoint before them. The iterables read a bounded number of rows at a time. Rows that
 * are deleted while they read are missing.
 */
export interface ThreadCut {
  readonly thread: ThreadRecord;
  /** Number of runs that had not ended. */
  readonly leftOutRuns: number;
  /** Yields the runs, oldest first. */
  runs(): AsyncIterable<RunRecord>;
  /**
   * Yields the checkpoints of all branches and namespaces, parents before children. Inherited checkpoints of
   * a copy count as its own.
   */
  checkpoints(): AsyncIterable<WholeCheckpoint>;
  /** Yields the owner's feedback on the runs in `runs`. */
  feedback(): AsyncIterable<FeedbackRecord>;
  /** Yields the events in rising `seq`. */
  events(): AsyncIterable<ExportedEvent>;
}

/** Exports of one owner. */
export interface ThreadExports {
  /** Returns the thread as of now; `undefined` when the owner sees no such thread. */
  cut(threadId: string): Promise<ThreadCut | undefined>;
  /**
   * Returns ids of the owner's threads after this one, in order. Shared and temporary threads are omitted.
   */
  threadIds(after: string | undefined, limit: number): Promise<readonly string[]>;
  /** Returns whether the thread still exists. */
  exists(threadId: string): Promise<boolean>;
}

/** An import that is claimed until `takenUntil` (epoch milliseconds). Every batch may extend the claim. */
export interface ThreadImport {
  readonly importId: string;
  /** The future owner of the threads. */
  readonly userId: string;
  readonly takenUntil: number;
}

export type EndedRun = Omit<
  RunRecord,
  'threadId' | 'userId' | 'epochs' | 'leaseOwner' | 'startAfter' | 'cancel' | 'formerHead' | 'numbersFrom'
>;

export interface ImportedEvent extends NewRunEvent, PackagedMarks {
  readonly runId: string;
}

export interface ImportedRows {
  readonly runs: readonly EndedRun[];
  readonly checkpoints: readonly NewCheckpoint[];
  /** The events get new numbers, in this order. */
  readonly events: readonly ImportedEvent[];
  /** Feedback of the import's owner on runs that were added. */
  readonly feedback: readonly Omit<NewFeedback, 'threadId'>[];
}

/**
 * Imports of all owners, for the service itself. Added rows belong to the import and are absent for all
 * owners until `publish`. All methods but `take` throw `conflict` when the import is no longer the caller's.
 */
export interface ThreadImports {
  open(started: ThreadImport): Promise<void>;
  /**
   * Adds a thread; its head and status are set last. `'taken'`: a thread with this id exists, or files of a
   * deleted one do.
   */
  beginThread(
    current: ThreadImport,
    thread: Omit<ThreadRecord, 'userId' | 'status' | 'headCheckpointId'>,
  ): Promise<'begun' | 'taken'>;
  /**
   * Adds rows to a thread. `'taken'`: a run or a checkpoint with one of the ids exists; nothing was added.
   */
  add(current: ThreadImport, threadId: string, rows: ImportedRows): Promise<'added' | 'taken'>;
  /** Removes a thread that was begun and has no files yet. */
  dropThread(current: ThreadImport, threadId: string): Promise<void>;
  /** Extends the claim without adding anything. */
  renewClaim(current: ThreadImport): Promise<void>;
  finishThread(
    current: ThreadImport,
    thread: Pick<ThreadRecord, 'threadId' | 'status' | 'headCheckpointId'>,
  ): Promise<void>;
  /**
   * Shows all threads of the import to their owner in one step, recorded in the audit log. Also throws
   * `conflict` when the account is gone.
   */
  publish(current: ThreadImport, asked: Pick<NewAuditEntry, 'actor' | 'clientIp'>): Promise<void>;
  /** Claims imports whose claims expired by `now`, oldest first. */
  take(claim: {
    readonly now: number;
    readonly takenUntil: number;
    readonly limit: number;
  }): Promise<readonly ThreadImport[]>;
  /** Deletes up to `limit` threads of the import, as `ThreadRepository.delete` does. Returns their number. */
  removeThreads(current: ThreadImport, limit: number): Promise<number>;
  /** Removes the record of an import that has no threads left. */
  close(current: ThreadImport): Promise<void>;
}
