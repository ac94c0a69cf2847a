// Streams of runs that ended long ago lose the pieces of their messages (design, section 4, two lives of an event).
import type { Log } from '../log.ts';
import type { FrameRetention } from '../storage/frame-retention.ts';
import { prunedRow } from './log-event.ts';

export interface FramePruner {
  /** Prunes what is due now; how many runs that were. */
  prune(): Promise<number>;
  /** Prunes now and then from now on; what fails is logged and tried again. */
  start(): void;
  stop(): void;
}

interface FramePrunerParts {
  readonly retention: FrameRetention;
  readonly retentionMs: number;
  readonly now: () => number;
  readonly log: Log;
}

/** Few at a time: other work of the process comes in between. */
const BATCH = 20;
const INTERVAL_MS = 600_000;

export function createFramePruner({ retention, retentionMs, now, log }: FramePrunerParts): FramePruner {
  let timer: NodeJS.Timeout | undefined;
  const prune = async (): Promise<number> => {
    for (let pruned = 0; ; ) {
      const due = await retention.due(now() - retentionMs, BATCH);
      for (const { runId, rows } of due) {
        const [first, ...rest] = rows;
        if (first !== undefined) await retention.replace(runId, prunedRow([first, ...rest]));
      }
      pruned += due.length;
      if (due.length < BATCH) return pruned;
    }
  };
  const pruneQuietly = (): void => {
    prune().catch((error: unknown) =>
      log.warn({ err: error }, 'old streams could not be pruned; trying again later'),
    );
  };
  return {
    prune,
    start() {
      pruneQuietly();
      timer = setInterval(pruneQuietly, INTERVAL_MS);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
