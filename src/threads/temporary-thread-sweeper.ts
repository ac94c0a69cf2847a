// Removes threads of stateless runs that outlived their run, because the process that should remove them
// died.
import type { Log } from '../log.ts';
import type { TemporaryThreads, ThreadRecord } from '../storage/threads.ts';
import type { Job } from '../upkeep/upkeep.ts';

interface TemporaryThreadSweeperParts {
  readonly temporary: TemporaryThreads;
  readonly remove: (thread: ThreadRecord) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
}

/** A client that was disconnected may return for the end of its run, so the thread remains for this long. */
const ABANDONED_MS = 600_000;
const INTERVAL_MS = 60_000;
const BATCH = 500;

export function createTemporaryThreadSweeper(parts: TemporaryThreadSweeperParts): Job {
  const { temporary, remove, log, now } = parts;
  return {
    name: 'threads of ended runs',
    everyMs: INTERVAL_MS,
    async pass({ signal }) {
      for (const thread of await temporary.abandoned({ before: now() - ABANDONED_MS, limit: BATCH })) {
        if (signal.aborted) return;
        await remove(thread).catch((err: unknown) => {
          log.warn({ err, threadId: thread.threadId }, 'the thread of an ended run will be removed later');
        });
      }
    },
  };
}
