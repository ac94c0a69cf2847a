// Drafts that a crash left behind: nobody sees them, and nobody else would ever remove them.
import { lstat, readdir, rm } from 'node:fs/promises';
import type { Job } from '../upkeep/upkeep.ts';
import { insideDataHome } from './folder.ts';
import { DRAFTS } from './paths.ts';
import { isFileSystemError } from './workspace-failure.ts';

interface DraftSweeperParts {
  readonly dataHome: string;
  /** The process alone works on the data home: drafts that it finds at its start are nobody's. */
  readonly exclusive: boolean;
}

/** A draft is written in one go: one that nobody has touched for so long is nobody's. */
const ABANDONED_MS = 40_000;
const INTERVAL_MS = 20_000;
/** What is written at this moment may be dated a tick of the file system back. */
const TICK_MS = 20;

/** Removes what earlier processes left, and from then on what other ones leave. */
export function createDraftSweeper({ dataHome, exclusive }: DraftSweeperParts): Job {
  return {
    name: 'abandoned drafts',
    everyMs: INTERVAL_MS,
    async pass({ isFirst }) {
      const untouchedMs = exclusive && isFirst ? TICK_MS : ABANDONED_MS;
      // By the clock of the files, which no test moves.
      await removeDrafts(dataHome, Date.now() - untouchedMs);
    },
  };
}

function removeDrafts(dataHome: string, before: number): Promise<void> {
  const at = { names: [DRAFTS], create: true };
  return insideDataHome(dataHome, at, async (drafts) => {
    for (const name of await readdir(drafts.self)) await removeOld(drafts.at(name), before);
  });
}

async function removeOld(path: string, before: number): Promise<void> {
  try {
    if ((await lstat(path)).mtimeMs <= before) await rm(path, { recursive: true });
  } catch (error) {
    // It took its place, or another process was faster.
    if (!isFileSystemError(error, 'ENOENT')) throw error;
  }
}
