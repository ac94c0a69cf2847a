// What becomes of the streams of runs that ended long ago (docs/contract/streaming.md#old-runs).
import type { FrameRow } from './frames.ts';

/** An ended run with its whole stream, as it was while the run went on. */
export interface UnprunedRun {
  readonly runId: string;
  readonly rows: readonly FrameRow[];
}

/** For the service itself: runs of all owners. */
export interface FrameRetention {
  /** Up to `limit` runs that ended before this time and whose stream was not replaced yet, oldest first. */
  due(endedBefore: number, limit: number): Promise<readonly UnprunedRun[]>;
  /**
   * The whole stream of an ended run is this one row from now on, and the run is not due again. Does nothing for a
   * run that is gone or has not ended.
   */
  replace(runId: string, row: FrameRow): Promise<void>;
}
