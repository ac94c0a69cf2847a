// Flushes SQLite's commits to disk: one flush of the write-ahead log for all commits before it.
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../../../../errors.ts';

export interface CommitSync {
  /** Called after each commit, outside any transaction. Takes microseconds, never throws. */
  afterCommit(): void;
  /**
   * Resolves when everything committed before the call is on disk; `undefined` when it already is. Throws
   * `unavailable` when the disk refuses, and always from then on.
   */
  synced(): Promise<void> | undefined;
  /** Waits for the current flush. Nothing is flushed after that. */
  end(): Promise<void>;
}

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

/**
 * Flushes the log through its own descriptor, off the event loop, one flush at a time. Commits made during a
 * flush share the next one. A failed flush is never retried: the system may have dropped what it could not
 * write, and the next flush would succeed without it.
 */
export function createCommitSync(wanted: CommitSyncWanted): CommitSync {
  return new LogFlusher(wanted);
}

interface Round {
  /** Number of commits that the flush covers. */
  readonly commits: number;
  readonly done: Promise<void>;
}

class LogFlusher implements CommitSync {
  readonly #fd: number;
  readonly #flush: Flush;
  readonly #onFailure: (error: Error) => void;
  readonly #changes: () => number;
  #changesBefore: number;
  #committed = 0;
  #onDisk = 0;
  #round: Round | undefined;
  #next: PromiseWithResolvers<void> | undefined;
  #failure: Error | undefined;

  constructor({ database, logPath, onFailure, flush = fdatasync }: CommitSyncWanted) {
    this.#flush = flush;
    this.#onFailure = onFailure;
    const statement = database.prepare('select total_changes() as changes');
    this.#changes = () => Number(statement.get()?.changes);
    this.#changesBefore = this.#changes();
    // Opened for writing, because not every system flushes through a read-only descriptor.
    this.#fd = openSync(logPath, 'r+');
  }

  afterCommit(): void {
    const changes = this.#changes();
    // Many transactions check for work and find none. Schema changes do not count, but every migration also
    // writes a row.
    if (changes !== this.#changesBefore) this.#committed++;
    this.#changesBefore = changes;
  }

  synced(): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(refusal(this.#failure));
    if (this.#onDisk === this.#committed) return undefined;
    this.#round ??= this.#begin(Promise.withResolvers());
    if (this.#round.commits === this.#committed) return this.#round.done;
    // It began before the last commit and may already have passed the end of the log.
    this.#next ??= Promise.withResolvers();
    return this.#next.promise;
  }

  async end(): Promise<void> {
    while (this.#round !== undefined) await this.#round.done.catch(() => undefined);
    closeSync(this.#fd);
  }

  #begin({ promise, resolve, reject }: PromiseWithResolvers<void>): Round {
    const commits = this.#committed;
    this.#flush(this.#fd, (error) => {
      this.#round = undefined;
      const next = this.#next;
      this.#next = undefined;
      if (error !== null) {
        this.#fail(error);
        reject(refusal(error));
        next?.reject(refusal(error));
        return;
      }
      this.#onDisk = commits;
      if (next !== undefined) this.#round = this.#begin(next);
      resolve();
    });
    return { commits, done: promise };
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#onFailure(error);
  }
}

function refusal(error: Error) {
  return unavailable('The disk of the database failed to store a write; the service stops.', error);
}
