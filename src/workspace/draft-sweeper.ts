// Drafts that a crash left behind: nobody sees them, and nobody else would ever remove them.
import { lstat, readdir, rm } from 'node:fs/promises';
import type { Log } from '../log.ts';
import { insideDataHome } from './folder.ts';
import { DRAFTS } from './paths.ts';
import { isFileSystemError } from './workspace-failure.ts';

export interface DraftSweeper {
  /** Removes what earlier processes left, and from now on what other ones leave. Failures are logged. */
  start(): void;
  /** Resolves when nothing is being removed any more. */
  stop(): Promise<void>;
}

interface DraftSweeperParts {
  readonly dataHome: string;
  readonly log: Log;
  /** The process alone works on the data home: drafts that it finds at its start are nobody's. */
  readonly exclusive: boolean;
}

/** A draft is written in one go: one that nobody has touched for so long is nobody's. */
const ABANDONED_MS = 40_000;
const INTERVAL_MS = 20_000;
/** What is written at this moment may be dated a tick of the file system back. */
const TICK_MS = 20;

export function createDraftSweeper({ dataHome, log, exclusive }: DraftSweeperParts): DraftSweeper {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  const sweep = (untouchedMs: number): void => {
    // By the clock of the files, which no test moves.
    const before = Date.now() - untouchedMs;
    sweeping = sweeping
      .then(() => removeDrafts(dataHome, before))
      .catch((err: unknown) => log.warn({ err }, 'old drafts could not be removed; trying again later'));
  };
  return {
    start() {
      sweep(exclusive ? TICK_MS : ABANDONED_MS);
      timer = setInterval(() => sweep(ABANDONED_MS), INTERVAL_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await sweeping;
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
