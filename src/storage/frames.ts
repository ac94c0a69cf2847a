// The stream of a run as stored: rows of compact agent events, in order.
import type { RunEpoch } from './runs.ts';

/** The events of one run in one flush. `events` is a JSON array of `lastSeq - firstSeq + 1` events. */
export interface FrameRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly attempt: number;
  readonly events: string;
}

/** A row with the epochs that the run had when the row was read. */
export interface ReadFrameRow extends FrameRow {
  readonly epochs: readonly RunEpoch[];
}

export interface FrameRepository {
  /**
   * Returns rows that hold events after `afterSeq`, oldest first: at least one, and about `maxBytes` in
   * total.
   */
  read(runId: string, afterSeq: number, maxBytes: number): Promise<readonly ReadFrameRow[]>;
  /** Returns the last rows, newest first; with `before`, only rows that begin before this `seq`. */
  readBack(
    runId: string,
    query: { readonly before?: number; readonly limit: number },
  ): Promise<readonly FrameRow[]>;
}

/** An ended run with its whole stream, as written while the run was running. */
export interface UnprunedRun {
  readonly runId: string;
  readonly rows: readonly FrameRow[];
}

/**
 * Retention of the streams of ended runs (docs/contract/streaming.md#old-runs). For the service itself: runs
 * of all owners.
 */
export interface FrameRetention {
  /**
   * Returns up to `limit` runs that ended before this time and whose stream was not replaced yet, oldest
   * first.
   */
  due(endedBefore: number, limit: number): Promise<readonly UnprunedRun[]>;
  /**
   * Replaces the whole stream of an ended run by this one row. The run is not due again. Does nothing for a
   * run that is gone or has not ended.
   */
  replace(runId: string, row: FrameRow): Promise<void>;
}
