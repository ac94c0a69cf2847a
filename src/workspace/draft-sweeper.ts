// Removes drafts that a crash left behind. They are not visible, and nothing else would ever remove them.
import { lstat, readdir, rm } from 'node:fs/promises';
import type { Job } from '../upkeep/upkeep.ts';
import { insideDrafts } from './folder.ts';
import { ifThere } from './workspace-failure.ts';

interface DraftSweeperParts {
  readonly dataHome: string;
  /**
   * Whether only this process works on the data home. Drafts that it finds at its start are then abandoned.
   */
  readonly exclusive: boolean;
}

/** A draft is written in one go. One that was not touched for this long is abandoned. */
const ABANDONED_MS = 40_000;
const INTERVAL_MS = 20_000;
/** A file that is being written may be dated back by a tick of the file system. */
const TICK_MS = 20;

/** Removes drafts that earlier processes left, and from then on those that other processes leave. */
export function createDraftSweeper({ dataHome, exclusive }: DraftSweeperParts): Job {
  return {
    name: 'abandoned drafts',
    everyMs: INTERVAL_MS,
    async pass({ isFirst }) {
      const untouchedMs = exclusive && isFirst ? TICK_MS : ABANDONED_MS;
      // By the clock of the files, which tests do not move.
      await removeDrafts(dataHome, Date.now() - untouchedMs);
    },
  };
}

function removeDrafts(dataHome: string, before: number): Promise<void> {
  return insideDrafts(dataHome, async (drafts) => {
    for (const name of await readdir(drafts.self)) await removeOld(drafts.at(name), before);
  });
}

async function removeOld(path: string, before: number): Promise<void> {
  const stats = await ifThere(lstat(path));
  // When it is not there, it was moved to its place, or another process was faster.
  if (stats !== undefined && stats.mtimeMs <= before) await ifThere(rm(path, { recursive: true }));
}
