// The second half of the deletion of an account: everything that it had goes, now or after the next start.

import type { ThreadRecord } from '../storage/threads.ts';
import type { AccountRemoval, AccountRemovals } from '../storage/users.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';

export interface AccountRemover {
  /** A removal that is claimed from now on: the argument of `AccountRemovals.begin`. */
  takenUntil(): number;
  /** Removes everything of the account, beside other work. What fails is logged and tried again later. */
  finishSoon(removal: AccountRemoval): void;
}

interface AccountRemoverParts {
  readonly removals: AccountRemovals;
  /** Removes a thread whose runs are cancelled first; one that is gone already is fine. */
  readonly removeThread: (thread: ThreadRecord) => Promise<void>;
  /** Removes the folder of the account; nothing to remove is fine. */
  readonly removeFolder: (userId: string) => Promise<void>;
  readonly now: () => number;
  /** The process is alone on the database: claims of an earlier one are void. */
  readonly exclusive: boolean;
  /** Finishes what an earlier process left, what failed, and what another process left. */
  readonly upkeep: JobTaker;
}

const TAKEN_MS = 60_000;
const INTERVAL_MS = 30_000;
const BATCH = 20;
/** A request that had begun when the account was deleted has ended by then. */
const LAST_REQUESTS_MS = 60_000;

export function createAccountRemover(parts: AccountRemoverParts): AccountRemover {
  const { removals, removeThread, removeFolder, now, upkeep } = parts;
  const takenUntil = () => now() + TAKEN_MS;
  const begun: AccountRemoval[] = [];

  const finish = async (removal: AccountRemoval): Promise<void> => {
    const { userId } = removal;
    for (;;) {
      const threads = await removals.threads(userId, BATCH);
      if (threads.length === 0) break;
      for (const thread of threads) {
        if (upkeep.signal.aborted) return;
        await removeThread(thread);
      }
    }
    await removals.clear(userId);
    await removeFolder(userId);
    await removals.done(removal, now() - LAST_REQUESTS_MS);
  };
  const job = upkeep.add({
    name: 'deletions of accounts',
    everyMs: INTERVAL_MS,
    async pass({ isFirst }) {
      for (let next = begun.shift(); next !== undefined; next = begun.shift()) await finish(next);
      const takenBefore = parts.exclusive && isFirst ? Number.MAX_SAFE_INTEGER : now();
      const claim = { now: takenBefore, takenUntil: takenUntil(), limit: BATCH };
      for (const removal of await removals.take(claim)) await finish(removal);
    },
  });
  return {
    takenUntil,
    finishSoon(removal) {
      begun.push(removal);
      void job.wake();
    },
  };
}
