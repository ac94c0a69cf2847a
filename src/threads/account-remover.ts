// The second half of the deletion of an account: everything that it had goes, now or after the next start.
import type { Log } from '../log.ts';
import type { AccountRemoval, AccountRemovals } from '../storage/account-removals.ts';
import type { ThreadRecord } from '../storage/threads.ts';

export interface AccountRemover {
  /** A removal that is taken on from now on: what `AccountRemovals.begin` is told. */
  takenUntil(): number;
  /** Removes everything of the account, beside other work. What fails is logged and tried again later. */
  finishSoon(removal: AccountRemoval): void;
  /** Finishes what an earlier process left, and from now on what failed or what another process left. */
  start(): void;
  /** Resolves when nothing is being removed any more. */
  stop(): Promise<void>;
}

interface AccountRemoverParts {
  readonly removals: AccountRemovals;
  /** Removes a thread whose runs are cancelled first; one that is gone already is fine. */
  readonly removeThread: (thread: ThreadRecord) => Promise<void>;
  /** Removes the folder of the account; nothing to remove is fine. */
  readonly removeFolder: (userId: string) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
  /** The process alone works on the database: what an earlier one had taken on is nobody's. */
  readonly exclusive: boolean;
}

const TAKEN_MS = 60_000;
const INTERVAL_MS = 15_000;
const BATCH = 20;
/** A request that had begun when the account was deleted has ended by then. */
const LAST_REQUESTS_MS = 60_000;

export function createAccountRemover(parts: AccountRemoverParts): AccountRemover {
  const { removals, removeThread, removeFolder, log, now } = parts;
  const takenUntil = () => now() + TAKEN_MS;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let working: Promise<void> = Promise.resolve();

  const finish = async (removal: AccountRemoval): Promise<void> => {
    const { userId } = removal;
    for (;;) {
      const threads = await removals.threads(userId, BATCH);
      if (threads.length === 0) break;
      for (const thread of threads) {
        if (stopped) return;
        await removeThread(thread);
      }
    }
    await removals.clear(userId);
    await removeFolder(userId);
    await removals.done(removal, now() - LAST_REQUESTS_MS);
  };
  const quietly = (work: () => Promise<void>): void => {
    working = working
      .then(work)
      .catch((err: unknown) => log.warn({ err }, 'an account could not be removed yet; trying again later'));
  };
  const sweep = async (takenBefore: number): Promise<void> => {
    const claim = { now: takenBefore, takenUntil: takenUntil(), limit: BATCH };
    for (const removal of await removals.take(claim)) await finish(removal);
  };
  return {
    takenUntil,
    finishSoon: (removal) => quietly(() => finish(removal)),
    start() {
      quietly(() => sweep(parts.exclusive ? Number.MAX_SAFE_INTEGER : now()));
      timer = setInterval(() => quietly(() => sweep(now())), INTERVAL_MS);
      timer.unref();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await working;
    },
  };
}
