// Streams of runs that ended long ago lose the pieces of their messages (docs/contract/streaming.md#old-runs).
import type { FrameRetention } from '../../storage/frames.ts';
import type { Job } from '../../upkeep/upkeep.ts';
import { prunedRow } from '../log/log-event.ts';

interface FramePrunerParts {
  readonly retention: FrameRetention;
  readonly retentionMs: number;
  readonly now: () => number;
}

/** Few at a time: other work of the process comes in between. */
const BATCH = 20;
const INTERVAL_MS = 600_000;

export function createFramePruner({ retention, retentionMs, now }: FramePrunerParts): Job {
  return {
    name: 'old streams',
    everyMs: INTERVAL_MS,
    async look({ signal }) {
      while (!signal.aborted) {
        const due = await retention.due(now() - retentionMs, BATCH);
        for (const { runId, rows } of due) {
          const [first, ...rest] = rows;
          if (first !== undefined) await retention.replace(runId, prunedRow([first, ...rest]));
        }
        if (due.length < BATCH) return;
      }
    },
  };
}
