// Imports that a process left behind: nobody sees what they brought, and nobody else would ever remove it.
import type { Log } from '../log.ts';
import type { ThreadImport, ThreadImports } from '../storage/thread-imports.ts';

export interface ImportSweeper {
  /** Clears once what earlier processes left. */
  sweep(): Promise<void>;
  /** Removes everything that the import has brought. */
  clearAway(left: ThreadImport): Promise<void>;
  /** Clears what earlier processes left, and from now on what other ones leave. Failures are logged. */
  start(): void;
  /** Resolves when nothing is being cleared any more. */
  stop(): Promise<void>;
}

interface ImportSweeperParts {
  readonly imports: ThreadImports;
  /** The files of removed threads go: they have left notes. */
  readonly removeFiles: () => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
  /** The process alone works on the database: what an earlier one had begun is nobody's. */
  readonly exclusive: boolean;
}

const TAKEN_MS = 60_000;
const INTERVAL_MS = 30_000;
const IMPORTS_AT_ONCE = 10;
const THREADS_AT_ONCE = 20;

export function createImportSweeper(parts: ImportSweeperParts): ImportSweeper {
  const { imports, removeFiles, log, now } = parts;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let sweeping: Promise<void> = Promise.resolve();

  const clearAway = async (left: ThreadImport): Promise<void> => {
    while ((await imports.removeThreads(left, THREADS_AT_ONCE)) > 0) {
      if (stopped) return;
    }
    await imports.close(left);
    await removeFiles();
  };
  const nobodys = () => (parts.exclusive ? Number.MAX_SAFE_INTEGER : now());
  const sweep = async (before: number): Promise<void> => {
    const claim = { now: before, takenUntil: now() + TAKEN_MS, limit: IMPORTS_AT_ONCE };
    for (const left of await imports.take(claim)) {
      if (stopped) return;
      await clearAway(left);
    }
  };
  const sweepQuietly = (before: number): void => {
    sweeping = sweeping
      .then(() => sweep(before))
      .catch((err: unknown) => log.warn({ err }, 'imports could not be cleared away; trying again later'));
  };
  return {
    clearAway,
    sweep: () => sweep(nobodys()),
    start() {
      sweepQuietly(nobodys());
      timer = setInterval(() => sweepQuietly(now()), INTERVAL_MS);
      timer.unref();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}
