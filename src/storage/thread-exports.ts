// What of a thread goes into a package: everything that had ended at one moment, read piece by piece.
import type { WholeCheckpoint } from './checkpoints.ts';
import type { FeedbackRecord } from './feedback.ts';
import type { RunEventRecord } from './run-events.ts';
import type { RunRecord } from './runs.ts';
import type { ThreadRecord } from './threads.ts';

/** `replaced`: a branch has left its message behind. `repeated`: its message was there already. */
export interface ExportedEvent extends RunEventRecord {
  readonly replaced: boolean;
  readonly repeated: boolean;
}

/**
 * A thread as it stood at one moment. Runs that had not ended are left out with their checkpoints and events, and the
 * head is the last checkpoint before them. The sequences read a bounded number of rows at a time; what is deleted
 * meanwhile is missing in them.
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
