// Checks whether the data home accepts files: there is free space, and a small file can be written.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DRAFTS } from '../paths.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import type { FreeDisk } from './free-disk.ts';

/** Resolves with what is wrong, one sentence each; empty when nothing is. Never rejects. */
type DataHomeCheck = () => Promise<readonly string[]>;

interface DataHomeCheckParts {
  readonly dataHome: string;
  readonly freeDisk: FreeDisk;
  readonly newId: () => string;
}

/** How long a result is reused, so that frequent callers do not write files all the time. */
const BELIEVED_MS = 1_000;
/** A network disk may never respond. */
const PATIENCE_MS = 2_000;
const NO_ANSWER = ['The disk of the data home does not answer.'];

export function createDataHomeCheck(parts: DataHomeCheckParts): DataHomeCheck {
  let last: { readonly reasons: readonly string[]; readonly at: number } | undefined;
  let checking: Promise<readonly string[]> | undefined;
  const check = (): Promise<readonly string[]> => {
    checking ??= reasonsOf(parts)
      .then((reasons) => {
        last = { reasons, at: performance.now() };
        return reasons;
      })
      .finally(() => {
        checking = undefined;
      });
    return checking;
  };
  return async () => {
    if (last !== undefined && performance.now() - last.at < BELIEVED_MS) return last.reasons;
    return Promise.race([check(), pause(PATIENCE_MS, NO_ANSWER, { ref: false })]);
  };
}

async function reasonsOf({ dataHome, freeDisk, newId }: DataHomeCheckParts): Promise<readonly string[]> {
  const drafts = join(dataHome, DRAFTS);
  const probe = join(drafts, `ready-${newId()}`);
  try {
    if ((await freeDisk()) <= 0) return ['The disk of the data home is nearly full (workspace.min_free_mb).'];
    // Creates this folder only. A data home that is missing must not be created again.
    await mkdir(drafts, { mode: 0o700 }).catch((error: unknown) => {
      if (!isFileSystemError(error, 'EEXIST')) throw error;
    });
    await writeFile(probe, '.', { flag: 'wx', mode: 0o600 });
    await rm(probe);
    return [];
  } catch {
    return ['The data home cannot be written.'];
  }
}
