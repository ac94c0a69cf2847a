// Has a separate thread copy SQLite's write-ahead log into the database file while commits continue.
import { once } from 'node:events';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../../../log.ts';
import type { Turns } from './turns.ts';

/** Pages of 4 KiB. The higher this is, the less often frequently changed pages are copied. */
const PAGES_TO_COPY = 4_000;

/** Pause after a round that left much uncopied, because of a long-lived reader or a full disk. */
const PAUSE_MS = 1_000;

export const WAL_CHECKPOINT_THREAD = new URL('./wal-checkpoint-thread.ts', import.meta.url);

interface WalCheckpointsWanted {
  readonly database: DatabaseSync;
  /** The path of the database file. */
  readonly location: string;
  readonly turns: Turns;
  readonly log: Log;
  /** The script of the thread. */
  readonly script: URL;
}

/**
 * Creates the checkpoints. The thread starts with the first copy. Without it, or after it dies, SQLite copies
 * within a commit according to `wal_autocheckpoint`.
 */
export function createWalCheckpoints({ database, turns, ...wanted }: WalCheckpointsWanted) {
  let state: StatementSync | undefined;
  let thread: ReturnType<typeof startThread> | undefined;
  let notBefore = 0;
  let running = false;
  let ended = false;

  const isMuchLeft = () => {
    try {
      state ??= database.prepare('pragma wal_checkpoint(noop)');
      const { log, checkpointed } = state.get() ?? {};
      return Number(log) - Number(checkpointed) >= PAGES_TO_COPY;
    } catch {
      // The commit has succeeded and must not seem to have failed. The next one checks again.
      return false;
    }
  };

  const round = async () => {
    thread ??= startThread(wanted);
    await thread.copy();
    // During commits the thread never catches up, and the log restarts only when all of it is copied. So the
    // small remainder is copied while the connection is idle.
    await turns.take();
    try {
      await thread.copy();
      if (!ended && isMuchLeft()) notBefore = performance.now() + PAUSE_MS;
    } finally {
      turns.give();
    }
  };

  const lose = (err: unknown) => {
    if (!ended) wanted.log.warn({ err }, 'the write-ahead log is now checkpointed within commits');
    ended = true;
  };

  return {
    /** Called after each commit, outside any transaction. Takes microseconds, never throws. */
    afterCommit: (): void => {
      if (running || ended || performance.now() < notBefore || !isMuchLeft()) return;
      running = true;
      void round()
        .catch(lose)
        .finally(() => {
          running = false;
        });
    },
    /** Stops the thread and resolves when it has closed the file. Nothing is checkpointed after that. */
    end: async (): Promise<void> => {
      ended = true;
      await thread?.end();
    },
  };
}

export type WalCheckpoints = ReturnType<typeof createWalCheckpoints>;

function startThread({ location, script }: Omit<WalCheckpointsWanted, 'database' | 'turns'>) {
  const address = pathToFileURL(location);
  // Does not recreate a file that was removed.
  address.searchParams.set('mode', 'rw');
  const worker = new Worker(script, { workerData: address.href, execArgv: [] });
  const gone = new AbortController();
  worker.on('error', (error) => gone.abort(error));
  worker.on('exit', () => gone.abort(new Error('The thread that copies the write-ahead log ended.')));
  worker.unref();
  return {
    /** Resolves after one try, successful or not. Rejects when the thread is gone. */
    copy: async (): Promise<void> => {
      worker.ref();
      worker.postMessage('copy');
      try {
        await once(worker, 'message', { signal: gone.signal });
      } finally {
        // Between copies the thread does not keep the process alive.
        worker.unref();
      }
    },
    end: async (): Promise<void> => {
      await worker.terminate();
    },
  };
}
