// Work that was left for later is done beside the work of the service, a piece at a time.
import type { Log } from '../log.ts';

export interface CatchUp {
  /** Goes on until nothing waits, and looks again now and then; what fails is logged and tried again. */
  start(): void;
  /** Resolves when nothing is being done any more. What is left goes on at the next start. */
  stop(): Promise<void>;
}

interface CatchUpParts {
  /** One piece; `false` when nothing is left. */
  readonly next: () => Promise<boolean>;
  /** How often it looks whether something waits. Default: every 15 seconds. */
  readonly everyMs?: number;
  /** What the log says of a piece that failed. */
  readonly failed: string;
  readonly log: Log;
}

const INTERVAL_MS = 15_000;

export function createCatchUp({ next, everyMs = INTERVAL_MS, failed, log }: CatchUpParts): CatchUp {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let working: Promise<void> | undefined;

  const work = async (): Promise<void> => {
    while (!stopped) {
      const begun = performance.now();
      if (!(await next())) return;
      // Half of the time is everybody else's.
      const took = performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve, took));
    }
  };
  const workQuietly = (): void => {
    working ??= work()
      .catch((err: unknown) => log.warn({ err }, failed))
      .finally(() => {
        working = undefined;
      });
  };
  return {
    start() {
      workQuietly();
      timer = setInterval(workQuietly, everyMs);
      timer.unref();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await working;
    },
  };
}
