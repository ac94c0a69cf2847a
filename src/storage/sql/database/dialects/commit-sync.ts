// Gets what SQLite committed onto the disk: one flush of the write-ahead log for all commits before it.
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../../../../errors.ts';

export interface CommitSync {
  /** Called after each commit, while nothing is in a transaction. Takes microseconds, never throws. */
  afterCommit(): void;
  /**
   * Resolves when everything that is committed at the call is on the disk; `undefined`: it is. Throws `unavailable` when the disk
   * refuses, from then on always.
   */
  synced(): Promise<void> | undefined;
  /** Resolves when nothing is under way. Nothing is flushed any more then. */
  end(): Promise<void>;
}

interface CommitSyncWanted {
  readonly database: Pick<DatabaseSync, 'prepare'>;
  /** The path of the write-ahead log, which is there. */
  readonly logPath: string;
  /** Called once, when the disk has refused a flush: from then on its contents are unknown. */
  readonly onFailure: (error: Error) => void;
  readonly flush?: Flush;
}

/** As `fs.fdatasync`. */
export type Flush = (fd: number, done: (error: Error | null) => void) => void;

/**
 * Flushes the log through a descriptor of its own, off the event loop, one flush at a time: whoever asks while one is under
 * way shares the next. A flush that failed is never tried again: the system may have dropped what it could not write, and
 * the next flush would succeed without it.
 */
export function createCommitSync(wanted: CommitSyncWanted): CommitSync {
  return new LogFlusher(wanted);
}

interface Round {
  /** How many commits it is about. */
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
    // For writing: not every system flushes through a descriptor that is for reading alone.
    this.#fd = openSync(logPath, 'r+');
  }

  afterCommit(): void {
    const changes = this.#changes();
    // Many transactions check for work and find none. Changes of the schema do not count; a migration writes a row.
    if (changes !== this.#changesBefore) this.#committed++;
    this.#changesBefore = changes;
  }

  synced(): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(refusal(this.#failure));
    if (this.#onDisk === this.#committed) return undefined;
    this.#round ??= this.#begin(Promise.withResolvers());
    if (this.#round.commits === this.#committed) return this.#round.done;
    // It began before the last commit, and may have passed the end of the log by then.
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
  return unavailable(
    'The disk under the database refused to keep what was written; the service ends.',
    error,
  );
}
