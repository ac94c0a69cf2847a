// Finishes the deletion of an account: removes everything that it had, now or after the next start.

import type { ThreadRecord } from '../storage/threads.ts';
import type { AccountRemoval, AccountRemovals } from '../storage/users.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';

export type AccountRemover = ReturnType<typeof createAccountRemover>;

interface AccountRemoverParts {
  readonly removals: AccountRemovals;
  /** Cancels the runs of a thread and removes it. Does nothing if it is gone already. */
  readonly removeThread: (thread: ThreadRecord) => Promise<void>;
  /** Removes the folder of the account, if there is one. */
  readonly removeFolder: (userId: string) => Promise<void>;
  readonly now: () => number;
  /** True when no other process uses the database, so that claims of an earlier process are void. */
  readonly exclusive: boolean;
  /** Finishes the removals that an earlier process or another one left, and those that failed. */
  readonly upkeep: JobTaker;
}

const TAKEN_MS = 60_000;
const INTERVAL_MS = 30_000;
const BATCH = 20;
/** Requests that were active when the account was deleted have ended after this time. */
const LAST_REQUESTS_MS = 60_000;

export function createAccountRemover(parts: AccountRemoverParts) {
  const { removals, removeThread, removeFolder, now, upkeep } = parts;
  const takenUntil = (): number => now() + TAKEN_MS;
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
    /** Returns until when a removal is claimed that begins now, for `AccountRemovals.begin`. */
    takenUntil,
    /** Removes everything of the account, concurrently with other work. Failures are logged and retried later. */
    finishSoon(removal: AccountRemoval): void {
      begun.push(removal);
      void job.wake();
    },
  };
}
