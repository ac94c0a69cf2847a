// The group commit of what running runs report: one transaction for all of them.
import type { NewCheckpoint } from './checkpoints.ts';
import type { FrameRow } from './frames.ts';
import type { NewRunEvent } from './run-events.ts';
import type { RunPatch } from './runs.ts';
import type { ThreadStatus } from './threads.ts';

/** Everything one run reported since its last commit, in order. */
export interface RunChange {
  readonly runId: string;
  readonly threadId: string;
  readonly userId: string | null;
  readonly attempt: number;
  readonly frames: FrameRow | undefined;
  readonly events: readonly NewRunEvent[];
  readonly checkpoints: readonly NewCheckpoint[];
  readonly run: RunPatch | undefined;
  /** `status`, `displayName` and `headCheckpointId` of the run's thread. */
  readonly thread: ThreadChange | undefined;
}

export interface ThreadChange {
  /** With `'idle'`, `'error'` or `'interrupted'` the thread stays `busy` while another of its runs is pending. */
  readonly status?: ThreadStatus;
  readonly displayName?: string;
  /** `null`: the thread has no state any more. */
  readonly headCheckpointId?: string | null;
}

export interface RunCommits {
  /**
   * Writes all changes in one transaction, or none of them. A change whose attempt is not the run's current one,
   * or whose run is no longer `running`, is left out: the answer names those runs. Throws `unavailable` when the
   * transaction failed as a whole; the same changes may then be committed again.
   */
  commit(changes: readonly RunChange[], now: number): Promise<readonly string[]>;
}
