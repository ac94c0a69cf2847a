// Flushes SQLite's commits to disk: one flush of the write-ahead log for all commits before it.
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../../../../errors.ts';

interface CommitSyncWanted {
  readonly database: Pick<DatabaseSync, 'prepare'>;
  /** The path of the write-ahead log, which must exist. */
  readonly logPath: string;
  /** Called once, when the disk has refused a flush. From then on the contents of the disk are unknown. */
  readonly onFailure: (error: Error) => void;
  readonly flush?: Flush;
}

/** As `fs.fdatasync`. */
export type Flush = (fd: number, done: (error: Error | null) => void) => void;

interface Round {
  /** Number of commits that the flush covers. */
  readonly commits: number;
  readonly done: Promise<void>;
}

/**
 * Flushes the log through its own descriptor, off the event loop, one flush at a time. Commits made during a
 * flush share the next one. A failed flush is never retried: the system may have dropped what it could not
 * write, and the next flush would succeed without it.
 */
export function createCommitSync(wanted: CommitSyncWanted) {
  const { database, logPath, onFailure, flush = fdatasync } = wanted;
  // Opened for writing, because not every system flushes through a read-only descriptor.
  const fd = openSync(logPath, 'r+');
  const statement = database.prepare('select total_changes() as changes');
  const countChanges = () => Number(statement.get()?.changes);
  let changesBefore = countChanges();
  let committed = 0;
  let onDisk = 0;
  let round: Round | undefined;
  let next: PromiseWithResolvers<void> | undefined;
  let failure: Error | undefined;

  const begin = ({ promise, resolve, reject }: PromiseWithResolvers<void>): Round => {
    const commits = committed;
    flush(fd, (error) => {
      const following = next;
      round = undefined;
      next = undefined;
      if (error !== null) {
        failure = error;
        onFailure(error);
        reject(refusal(error));
        following?.reject(refusal(error));
        return;
      }
      onDisk = commits;
      if (following !== undefined) round = begin(following);
      resolve();
    });
    return { commits, done: promise };
  };

  return {
    /** Called after each commit, outside any transaction. Takes microseconds, never throws. */
    afterCommit(): void {
      const changes = countChanges();
      // Many transactions check for work and find none. Schema changes do not count, but every migration also
      // writes a row.
      if (changes !== changesBefore) committed++;
      changesBefore = changes;
    },

    /**
     * Resolves when everything committed before the call is on disk; `undefined` when it already is. Throws
     * `unavailable` when the disk refuses, and always from then on.
     */
    synced(): Promise<void> | undefined {
      if (failure !== undefined) return Promise.reject(refusal(failure));
      if (onDisk === committed) return undefined;
      round ??= begin(Promise.withResolvers());
      if (round.commits === committed) return round.done;
      // It began before the last commit and may already have passed the end of the log.
      next ??= Promise.withResolvers();
      return next.promise;
    },

    /** Waits for the current flush. Nothing is flushed after that. */
    async end(): Promise<void> {
      while (round !== undefined) await round.done.catch(() => undefined);
      closeSync(fd);
    },
  };
}

export type CommitSync = ReturnType<typeof createCommitSync>;

function refusal(error: Error) {
  return unavailable('The disk of the database failed to store a write; the service stops.', error);
}
