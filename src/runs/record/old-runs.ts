// Cleans up after runs that ended long ago: removes events after their retention, and message pieces of
// streams.
import type { FrameRetention } from '../../storage/frames.ts';
import type { EventRetention, RunEventCategory } from '../../storage/run-events.ts';
import type { Job } from '../../upkeep/upkeep.ts';
import { prunedRow } from '../log/log-event.ts';
import type { RetentionOptions } from './retention-options.ts';

interface EventSweeperParts {
  readonly retention: EventRetention;
  readonly options: RetentionOptions;
  readonly now: () => number;
}

const KINDS = {
  trace_days: ['trace'],
  middleware_days: ['middleware', 'middleware:summarize'],
  subagent_days: ['subagent'],
  lifecycle_days: ['lifecycle'],
  error_days: ['error'],
  message_days: ['message'],
} as const satisfies Record<keyof RetentionOptions, readonly RunEventCategory[]>;

const DAY_MS = 86_400_000;
/** Small, so that other work of the process gets its turn in between. */
const BATCH = 20;
const INTERVAL_MS = 600_000;

/** Removes run events that are older than the operator wants to keep them, a few runs at a time. */
export function createEventSweeper({ retention, options, now }: EventSweeperParts): Job {
  const sweepKind = async (
    kind: keyof RetentionOptions,
    days: number,
    signal: AbortSignal,
  ): Promise<void> => {
    const step = { kind, categories: KINDS[kind], endedBefore: now() - days * DAY_MS, limit: BATCH };
    while (!signal.aborted) {
      const removed = await retention.removeNext(step);
      if (removed < BATCH) break;
    }
  };
  return {
    name: 'old run events',
    everyMs: INTERVAL_MS,
    async pass({ signal }) {
      for (const kind of Object.keys(KINDS) as (keyof RetentionOptions)[]) {
        const days = options[kind];
        if (days !== null) await sweepKind(kind, days, signal);
      }
    },
  };
}

interface FramePrunerParts {
  readonly retention: FrameRetention;
  readonly retentionMs: number;
  readonly now: () => number;
}

/** Removes the message pieces of old streams (docs/contract/streaming.md#old-runs). */
export function createFramePruner({ retention, retentionMs, now }: FramePrunerParts): Job {
  return {
    name: 'old streams',
    everyMs: INTERVAL_MS,
    async pass({ signal }) {
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
