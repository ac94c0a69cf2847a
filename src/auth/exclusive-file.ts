// Small private files in the data home that exactly one process may create.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../disk/sync-folder.ts';

const PRIVATE = 0o600;
/** Error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Creates the file with mode 0600 and the complete text, unless the name is taken. */
export async function writeExclusive(path: string, text: string): Promise<'written' | 'exists'> {
  const draft = await writeDraft(path, text);
  try {
    // A link appears with its content and fails if the name exists, so no reader sees a half-written file.
    await link(draft, path);
    await syncFolder(dirname(path));
    return 'written';
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'exists';
    if (!NO_LINKS.has(codeOf(error))) throw error;
    return await writeInPlace(path, text);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes the file in place of any file of that name. Replaces a symbolic link instead of following it. */
export async function writeReplacing(path: string, text: string): Promise<void> {
  const draft = await writeDraft(path, text);
  try {
    await rename(draft, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Returns the text of the file, or `undefined` if there is none. Restricts access to its owner and follows no
 * symbolic link.
 */
export async function readPrivate(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error(`${path} is not a file. Remove it.`);
    if ((stats.mode & 0o077) !== 0) await file.chmod(PRIVATE);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function writeDraft(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeNew(draft, text);
  return draft;
}

async function writeInPlace(path: string, text: string): Promise<'written' | 'exists'> {
  try {
    await writeNew(path, text);
    await syncFolder(dirname(path));
    return 'written';
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'exists';
    throw error;
  }
}

/** Throws `EEXIST`. Leaves no file that is incomplete, unless the process dies. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', PRIVATE);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
  await file.close();
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
