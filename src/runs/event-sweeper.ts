// Run events that are older than the operator wants to keep them go, a few runs at a time.
import type { Log } from '../log.ts';
import type { EventRetention } from '../storage/event-retention.ts';
import type { RunEventCategory } from '../storage/run-events.ts';
import type { RetentionOptions } from './retention-options.ts';

export interface EventSweeper {
  /** Removes what is due now; how many runs were looked at. */
  sweep(): Promise<number>;
  /** Now and then from now on; what fails is logged and tried again. */
  start(): void;
  stop(): void;
}

interface EventSweeperParts {
  readonly retention: EventRetention;
  readonly options: RetentionOptions;
  readonly now: () => number;
  readonly log: Log;
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
/** Few at a time: other work of the process comes in between. */
const BATCH = 20;
const INTERVAL_MS = 600_000;

export function createEventSweeper({ retention, options, now, log }: EventSweeperParts): EventSweeper {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const sweepKind = async (kind: keyof RetentionOptions, days: number): Promise<number> => {
    const step = { kind, categories: KINDS[kind], endedBefore: now() - days * DAY_MS, limit: BATCH };
    let runs = 0;
    while (!stopped) {
      const removed = await retention.removeNext(step);
      runs += removed;
      if (removed < BATCH) break;
    }
    return runs;
  };
  const sweep = async (): Promise<number> => {
    let runs = 0;
    for (const kind of Object.keys(KINDS) as (keyof RetentionOptions)[]) {
      const days = options[kind];
      if (days !== null) runs += await sweepKind(kind, days);
    }
    return runs;
  };
  const sweepQuietly = (): void => {
    sweep().catch((err: unknown) =>
      log.warn({ err }, 'old run events could not be removed; trying again later'),
    );
  };
  return {
    sweep,
    start() {
      sweepQuietly();
      timer = setInterval(sweepQuietly, INTERVAL_MS);
      timer.unref();
    },
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}
