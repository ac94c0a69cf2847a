// Whether the data home takes files: there is room, and a small one can be written.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DRAFTS } from '../paths.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import type { FreeDisk } from './free-disk.ts';

/** What is wrong, a sentence each; empty when nothing is. Never rejects. */
type DataHomeCheck = () => Promise<readonly string[]>;

interface DataHomeCheckParts {
  readonly dataHome: string;
  readonly freeDisk: FreeDisk;
  readonly newId: () => string;
}

/** So long an answer is given again: whoever asks all the time writes no files all the time. */
const BELIEVED_MS = 1_000;
/** A disk of the network may never answer. */
const PATIENCE_MS = 2_000;

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
    return withPatience(check());
  };
}

async function reasonsOf({ dataHome, freeDisk, newId }: DataHomeCheckParts): Promise<readonly string[]> {
  const drafts = join(dataHome, DRAFTS);
  const probe = join(drafts, `ready-${newId()}`);
  try {
    if ((await freeDisk()) <= 0) return ['The disk of the data home is nearly full (workspace.min_free_mb).'];
    // Not the data home itself: one that is gone must not be made again.
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

async function withPatience(checking: Promise<readonly string[]>): Promise<readonly string[]> {
  const late = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => late.resolve(['The disk of the data home does not answer.']), PATIENCE_MS);
  try {
    return await Promise.race([checking, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
