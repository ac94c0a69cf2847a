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
