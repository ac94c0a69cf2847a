// The stream of a run as it is stored: rows of compact agent events, in order.
import type { RunEpoch } from './runs.ts';

/** The events of one run in one flush. `events` is a JSON array of `lastSeq - firstSeq + 1` events. */
export interface FrameRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly attempt: number;
  readonly events: string;
}

/** With the epochs that the run had when the row was read. */
export interface ReadFrameRow extends FrameRow {
  readonly epochs: readonly RunEpoch[];
}

export interface FrameRepository {
  /** Rows that hold events after `afterSeq`, oldest first, at least one and about `maxBytes` of them. */
  read(runId: string, afterSeq: number, maxBytes: number): Promise<readonly ReadFrameRow[]>;
  /** The last rows, newest first; with `before` those that begin before this place. */
  readBack(
    runId: string,
    query: { readonly before?: number; readonly limit: number },
  ): Promise<readonly FrameRow[]>;
}

/** An ended run with its whole stream, as it was while the run went on. */
export interface UnprunedRun {
  readonly runId: string;
  readonly rows: readonly FrameRow[];
}

/**
 * What becomes of the streams of runs that ended long ago (docs/contract/streaming.md#old-runs). For the service itself:
 * runs of all owners.
 */
export interface FrameRetention {
  /** Up to `limit` runs that ended before this time and whose stream was not replaced yet, oldest first. */
  due(endedBefore: number, limit: number): Promise<readonly UnprunedRun[]>;
  /**
   * The whole stream of an ended run is this one row from now on, and the run is not due again. Does nothing for a
   * run that is gone or has not ended.
   */
  replace(runId: string, row: FrameRow): Promise<void>;
}
