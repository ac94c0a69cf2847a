// Threads as packages: exporting one, and importing, which builds threads invisibly and reveals them all at once.

import type { NewAuditEntry } from './audit-log.ts';
import type { NewCheckpoint, WholeCheckpoint } from './checkpoints.ts';
import type { FeedbackRecord, NewFeedback } from './feedback.ts';
import type { NewRunEvent, RunEventRecord } from './run-events.ts';
import type { RunRecord } from './runs.ts';
import type { ThreadRecord } from './threads.ts';

/** `replaced`: a branch has left its message behind. `repeated`: its message was there already. */
export interface ExportedEvent extends RunEventRecord {
  readonly replaced: boolean;
  readonly repeated: boolean;
}

/**
 * A thread as of one moment. Runs that had not ended are left out with their checkpoints and events, and the head is
 * the last checkpoint before them. The sequences read a bounded number of rows at a time; what is deleted meanwhile is
 * missing in them.
 */
export interface ThreadCut {
  readonly thread: ThreadRecord;
  /** Runs that had not ended. */
  readonly leftOutRuns: number;
  /** Oldest first. */
  runs(): AsyncIterable<RunRecord>;
  /** All branches and namespaces, parents before their children; those that a copy inherited are its own here. */
  checkpoints(): AsyncIterable<WholeCheckpoint>;
  /** The owner's own, of the runs in `runs`. */
  feedback(): AsyncIterable<FeedbackRecord>;
  /** In rising `seq`. */
  events(): AsyncIterable<ExportedEvent>;
}

/** Bound to an owner, like all repositories. */
export interface ThreadExports {
  /** `undefined` when the owner sees no such thread. */
  cut(threadId: string): Promise<ThreadCut | undefined>;
  /** Ids of the owner's own threads that come after this one, in order; shared and temporary ones are left out. */
  threadIds(after: string | undefined, limit: number): Promise<readonly string[]>;
  /** Whether the thread is still there. */
  exists(threadId: string): Promise<boolean>;
}

/** An import that somebody works on until `takenUntil` (epoch milliseconds); every batch may move that on. */
export interface ThreadImport {
  readonly importId: string;
  /** Whose threads they will be. */
  readonly userId: string;
  readonly takenUntil: number;
}

/** The fields of a run that has ended. */
export type EndedRun = Omit<
  RunRecord,
  'threadId' | 'userId' | 'epochs' | 'leaseOwner' | 'startAfter' | 'cancel' | 'formerHead' | 'numbersFrom'
>;

export interface ImportedEvent extends NewRunEvent {
  readonly runId: string;
  /** A branch has left its message behind. */
  readonly replaced: boolean;
  /** Its message was there already. */
  readonly repeated: boolean;
}

export interface ImportedRows {
  readonly runs: readonly EndedRun[];
  readonly checkpoints: readonly NewCheckpoint[];
  /** They get new numbers, in this order. */
  readonly events: readonly ImportedEvent[];
  /** Of runs that were added; the import's owner gave it. */
  readonly feedback: readonly Omit<NewFeedback, 'threadId'>[];
}

/**
 * Of all owners, for the service itself. What is added belongs to the import and is an absent row for everybody until
 * `publish`. All methods but `take` throw `conflict` when the import is no longer the caller's.
 */
export interface ThreadImports {
  open(started: ThreadImport): Promise<void>;
  /** `'taken'`: a thread with this id exists, or the files of a deleted one do. Its head and status come last. */
  beginThread(
    current: ThreadImport,
    thread: Omit<ThreadRecord, 'userId' | 'status' | 'headCheckpointId'>,
  ): Promise<'begun' | 'taken'>;
  /** `'taken'`: a run or a checkpoint with one of the ids exists; nothing was added. */
  add(current: ThreadImport, threadId: string, rows: ImportedRows): Promise<'added' | 'taken'>;
  /** Takes back a thread that was begun; its files are not there yet. */
  dropThread(current: ThreadImport, threadId: string): Promise<void>;
  /** The import is being worked on, whatever it adds. */
  renewClaim(current: ThreadImport): Promise<void>;
  finishThread(
    current: ThreadImport,
    thread: Pick<ThreadRecord, 'threadId' | 'status' | 'headCheckpointId'>,
  ): Promise<void>;
  /** Shows all threads of the import to their owner, in one step; the audit log has it. Throws `conflict` as well
   * when the account is gone. */
  publish(current: ThreadImport, asked: Pick<NewAuditEntry, 'actor' | 'clientIp'>): Promise<void>;
  /** Claims imports whose claims have expired by `now`, oldest first. */
  take(claim: {
    readonly now: number;
    readonly takenUntil: number;
    readonly limit: number;
  }): Promise<readonly ThreadImport[]>;
  /** Deletes up to `limit` threads of the import, as `ThreadRepository.delete` does; how many those were. */
  removeThreads(current: ThreadImport, limit: number): Promise<number>;
  /** Forgets the import, of which no thread is left. */
  close(current: ThreadImport): Promise<void>;
}
