// Removes imports that a process left behind. Their threads are invisible, and nothing else would remove
// them.
import type { ThreadImport, ThreadImports } from '../storage/thread-packages.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';

interface ImportSweeperParts {
  readonly imports: ThreadImports;
  /** Removes the files of removed threads, which have left notes. */
  readonly removeFiles: () => Promise<void>;
  readonly now: () => number;
  /** True when no other process uses the database, so that imports of an earlier process are abandoned. */
  readonly exclusive: boolean;
  /** Removes what earlier processes left, and from then on what other processes leave. */
  readonly upkeep: JobTaker;
}

const TAKEN_MS = 60_000;
const INTERVAL_MS = 30_000;
const IMPORTS_AT_ONCE = 10;
const THREADS_AT_ONCE = 20;

export function createImportSweeper(parts: ImportSweeperParts) {
  const { imports, removeFiles, now, upkeep } = parts;

  /** Removes everything that the import has stored. */
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
  /** Removes once the imports that earlier processes left. */
  return { clearAway, sweep: (): Promise<void> => sweep(nobodys()) };
}
