// The second half of a deletion: rows and files of the thread go, now or after the next start.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RemovedRows, ThreadRemoval, ThreadRemovals } from '../storage/threads.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';

export interface ThreadRemover {
  /** A removal that is claimed from now on: the argument of `ThreadRepository.delete`. */
  takenUntil(): number;
  /** Removes rows and files. Throws when they cannot be removed; it is tried again later without being asked. */
  finish(removal: ThreadRemoval): Promise<void>;
  /** Finishes removals that are not claimed. Failures are logged and retried later. */
  sweep(): Promise<void>;
}

interface ThreadRemoverParts {
  readonly removals: ThreadRemovals;
  /** Removes the folder of a thread; nothing to remove is fine. */
  readonly removeFiles: (thread: Pick<ThreadRemoval, 'threadId' | 'userId'>) => Promise<void>;
  /** What is kept in memory of these goes. */
  readonly forget: (removed: RemovedRows) => void;
  readonly log: Log;
  readonly now: () => number;
  /** The process is alone on the database: claims of an earlier one are void. */
  readonly exclusive: boolean;
  /** Sweeps what an earlier process left, what failed, and what another process left. */
  readonly upkeep: JobTaker;
}

/** How long the claim of a removal lasts before others may do it again, and how often they check. */
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
        throw unavailable('The service is stopping; the deletion is finished later.');
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
