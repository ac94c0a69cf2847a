// Imports that a process left behind: their threads are invisible, and nothing else would remove them.
import type { ThreadImport, ThreadImports } from '../storage/thread-packages.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';

export interface ImportSweeper {
  /** Clears once what earlier processes left. */
  sweep(): Promise<void>;
  /** Removes everything that the import has brought. */
  clearAway(left: ThreadImport): Promise<void>;
}

interface ImportSweeperParts {
  readonly imports: ThreadImports;
  /** The files of removed threads go: they have left notes. */
  readonly removeFiles: () => Promise<void>;
  readonly now: () => number;
  /** The process is alone on the database: imports of an earlier one are abandoned. */
  readonly exclusive: boolean;
  /** Clears what earlier processes left, and from then on what other ones leave. */
  readonly upkeep: JobTaker;
}

const TAKEN_MS = 60_000;
const INTERVAL_MS = 30_000;
const IMPORTS_AT_ONCE = 10;
const THREADS_AT_ONCE = 20;

export function createImportSweeper(parts: ImportSweeperParts): ImportSweeper {
  const { imports, removeFiles, now, upkeep } = parts;

  const clearAway = async (left: ThreadImport): Promise<void> => {
    while ((await imports.removeThreads(left, THREADS_AT_ONCE)) > 0) {
      if (upkeep.signal.aborted) return;
    }
    await imports.close(left);
    await removeFiles();
  };
  const nobodys = () => (parts.exclusive ? Number.MAX_SAFE_INTEGER : now());
  const sweep = async (before: number): Promise<void> => {
    const claim = { now: before, takenUntil: now() + TAKEN_MS, limit: IMPORTS_AT_ONCE };
    for (const left of await imports.take(claim)) {
      if (upkeep.signal.aborted) return;
      await clearAway(left);
    }
  };
  upkeep.add({
    name: 'abandoned imports',
    everyMs: INTERVAL_MS,
    async pass({ isFirst }) {
      await sweep(isFirst ? nobodys() : now());
    },
  });
  return { clearAway, sweep: () => sweep(nobodys()) };
}
