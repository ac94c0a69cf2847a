// Finishes the deletion of a thread: removes its rows and files, now or after the next start.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RemovedRows, ThreadRemoval, ThreadRemovals } from '../storage/threads.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';

export interface ThreadRemover {
  /** Returns until when a removal is claimed that begins now, for `ThreadRepository.delete`. */
  takenUntil(): number;
  /** Removes rows and files. Throws when they cannot be removed; a later pass retries that in any case. */
  finish(removal: ThreadRemoval): Promise<void>;
  /** Finishes removals that are not claimed. Failures are logged and retried later. */
  sweep(): Promise<void>;
}

export interface ThreadRemoverParts {
  readonly removals: ThreadRemovals;
  /** Removes the folder of a thread, if there is one. */
  readonly removeFiles: (thread: Pick<ThreadRemoval, 'threadId' | 'userId'>) => Promise<void>;
  /** Drops what is cached in memory of these rows. */
  readonly forget: (removed: RemovedRows) => void;
  readonly log: Log;
  readonly now: () => number;
  /** True when no other process uses the database, so that claims of an earlier process are void. */
  readonly exclusive: boolean;
  /** Sweeps the removals that an earlier process or another one left, and those that failed. */
  readonly upkeep: JobTaker;
}

/**
 * How long the claim of a removal lasts before another process may repeat it, and how often processes check.
 */
const TAKEN_MS = 30_000;
const INTERVAL_MS = 30_000;
const BATCH = 20;

export function createThreadRemover(parts: ThreadRemoverParts): ThreadRemover {
  const { removals, removeFiles, forget, log, now, upkeep } = parts;
  const takenUntil = () => now() + TAKEN_MS;

  const finish = async (removal: ThreadRemoval): Promise<void> => {
    let held = removal;
    for await (const page of removals.removeRows(removal, takenUntil)) {
      held = page.removal;
      forget(page);
      if (upkeep.signal.aborted)
        throw unavailable('The service is stopping; the deletion will finish later.');
      await nextTurn();
    }
    await removeFiles(held);
    // Nothing is lost: the row stays, and the next pass finds nothing left of the thread.
    await removals.done(held).catch((err: unknown) => {
      log.warn({ err, threadId: removal.threadId }, 'the record of a deletion will be removed later');
    });
  };
  const sweep = async (takenBefore: number): Promise<void> => {
    const tried = new Set<string>();
    while (!upkeep.signal.aborted) {
      const due = await removals.take({ now: takenBefore, takenUntil: takenUntil(), limit: BATCH });
      const untried = due.filter(({ threadId }) => !tried.has(threadId));
      if (untried.length === 0) return;
      for (const removal of untried) {
        tried.add(removal.threadId);
        await finish(removal).catch((err: unknown) => {
          log.warn(
            { err, threadId: removal.threadId },
            'a deletion could not be finished; trying again later',
          );
        });
      }
    }
  };
  const job = upkeep.add({
    name: 'deletions of threads',
    everyMs: INTERVAL_MS,
    async pass({ isFirst }) {
      await sweep(parts.exclusive && isFirst ? Number.MAX_SAFE_INTEGER : now());
    },
  });
  return { takenUntil, finish, sweep: job.wake };
}
