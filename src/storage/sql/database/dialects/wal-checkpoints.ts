// Has the write-ahead log of SQLite copied into the database file by a thread of its own, while commits go on.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../../../log.ts';
import type { Turns } from './turns.ts';

/** Pages of 4 KiB. Pages that change often are copied less often the more of them are waited for. */
const PAGES_TO_COPY = 4_000;

/** After a round that left much: a reader that stays, a full disk. */
const PAUSE_MS = 1_000;

export const WAL_CHECKPOINT_THREAD = new URL('./wal-checkpoint-thread.ts', import.meta.url);

export interface WalCheckpoints {
  /** Called after each commit, while nothing is in a transaction. Takes microseconds, never throws. */
  afterCommit(): void;
  /** Resolves when the thread has closed the file. Nothing is checkpointed after that. */
  end(): Promise<void>;
}

interface WalCheckpointsWanted {
  readonly database: DatabaseSync;
  /** The path of its file. */
  readonly location: string;
  readonly turns: Turns;
  readonly log: Log;
  /** What the thread runs. */
  readonly script: URL;
}

/**
 * The thread starts when there is something to copy for the first time. Without it SQLite copies in a commit, as
 * `wal_autocheckpoint` says; that is also what is left when the thread cannot start or dies.
 */
export function createWalCheckpoints({ database, turns, ...wanted }: WalCheckpointsWanted): WalCheckpoints {
  let state: StatementSync | undefined;
  let thread: CheckpointThread | undefined;
  let notBefore = 0;
  let running = false;
  let ended = false;

  const isMuchLeft = () => {
    try {
      state ??= database.prepare('pragma wal_checkpoint(noop)');
      const { log, checkpointed } = state.get() ?? {};
      return Number(log) - Number(checkpointed) >= PAGES_TO_COPY;
    } catch {
      // The commit before is done and must not look failed; the next one asks again.
      return false;
    }
  };

  const round = async () => {
    thread ??= startThread(wanted);
    await thread.copy();
    // Beside commits it never catches up, and the log begins anew only when all of it is copied: the rest, which is
    // small, while the connection rests.
    await turns.take();
    try {
      await thread.copy();
      if (!ended && isMuchLeft()) notBefore = performance.now() + PAUSE_MS;
    } finally {
      turns.give();
    }
  };

  const lose = (err: unknown) => {
    if (!ended) wanted.log.warn({ err }, 'the write-ahead log is checkpointed within commits from now on');
    ended = true;
  };

  return {
    afterCommit: () => {
      if (running || ended || performance.now() < notBefore || !isMuchLeft()) return;
      running = true;
      void round()
        .catch(lose)
        .finally(() => {
          running = false;
        });
    },
    end: async () => {
      ended = true;
      await thread?.end();
    },
  };
}

interface CheckpointThread {
  /** Resolves after one try, whatever it achieved. Rejects when the thread is gone. */
  copy(): Promise<void>;
  end(): Promise<void>;
}

function startThread({
  location,
  script,
}: Pick<WalCheckpointsWanted, 'location' | 'script'>): CheckpointThread {
  const address = pathToFileURL(location);
  // A file that was taken away is not made anew.
  address.searchParams.set('mode', 'rw');
  const worker = new Worker(script, { workerData: address.href, execArgv: [] });
  let result: PromiseWithResolvers<void> | undefined;
  let gone: unknown;
  const settle = () => {
    // Between copies it keeps no process alive.
    worker.unref();
    if (gone === undefined) result?.resolve();
    else result?.reject(gone);
  };
  worker.unref();
  worker.on('message', settle);
  worker.on('error', (error) => {
    gone = error;
  });
  worker.on('exit', () => {
    gone ??= new Error('The thread that copies the write-ahead log ended.');
    settle();
  });
  return {
    copy: async () => {
      if (gone !== undefined) throw gone;
      result = Promise.withResolvers();
      worker.ref();
      worker.postMessage('copy');
      await result.promise;
    },
    end: async () => {
      await worker.terminate();
    },
  };
}
