// Threads of stateless runs that outlived their run, because the process that was to remove them died.
import type { Log } from '../log.ts';
import type { TemporaryThreads } from '../storage/temporary-threads.ts';
import type { ThreadRecord } from '../storage/threads.ts';

export interface TemporaryThreadSweeper {
  /** Removes what earlier processes left, and from now on what other ones leave. Failures are logged. */
  start(): void;
  /** Resolves when nothing is being removed any more. */
  stop(): Promise<void>;
}

interface TemporaryThreadSweeperParts {
  readonly temporary: TemporaryThreads;
  readonly remove: (thread: ThreadRecord) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
}

/** A client that was cut off may come back for the end of its run: so long everything of it stays. */
const ABANDONED_MS = 600_000;
const INTERVAL_MS = 60_000;
const BATCH = 500;

export function createTemporaryThreadSweeper(parts: TemporaryThreadSweeperParts): TemporaryThreadSweeper {
  const { temporary, remove, log, now } = parts;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let sweeping: Promise<void> = Promise.resolve();

  const removeAbandoned = async (): Promise<void> => {
    for (const thread of await temporary.abandoned({ before: now() - ABANDONED_MS, limit: BATCH })) {
      if (stopped) return;
      await remove(thread).catch((err: unknown) => {
        log.warn({ err, threadId: thread.threadId }, 'the thread of an ended run stays for now');
      });
    }
  };
  const sweep = (): void => {
    sweeping = sweeping
      .then(removeAbandoned)
      .catch((err: unknown) =>
        log.warn({ err }, 'the threads of ended runs could not be looked at; trying again later'),
      );
  };
  return {
    start() {
      sweep();
      timer = setInterval(sweep, INTERVAL_MS);
      timer.unref();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}
