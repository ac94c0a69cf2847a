// Checks the data home: whether it is writable, has free space, and is in use by a service.
import { constants, existsSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DataHomeLockedError, lockDataHome } from '../../workspace/data-home-lock.ts';
import { type Finding, findingsOn } from '../finding.ts';

export interface DataHomeFinding {
  readonly finding: Finding;
  /** The service that is running on the data home, with its `pid` if known. */
  readonly holder: { readonly pid: number | undefined } | undefined;
}

const { ok, note, problem } = findingsOn('data home');
const MEBIBYTE = 1024 ** 2;
const SCARCE = 1024 * MEBIBYTE;
const TOO_LITTLE = 50 * MEBIBYTE;

export async function checkDataHome(dataHome: string): Promise<DataHomeFinding> {
  const folder = nearestFolder(dataHome);
  if (!(await isWritableFolder(folder))) {
    return {
      holder: undefined,
      finding: problem(
        `The data home ${dataHome} cannot be written to.`,
        `Give this user write permission on ${folder}, or set DATA_HOME to another folder.`,
      ),
    };
  }
  const { bavail, bsize } = await statfs(folder);
  return {
    holder: folder === dataHome ? holderOf(dataHome) : undefined,
    finding: freeSpaceFinding(dataHome, folder === dataHome, bavail * bsize),
  };
}

function freeSpaceFinding(dataHome: string, exists: boolean, free: number): Finding {
  const freeSpace = `${Math.floor(free / MEBIBYTE).toLocaleString('en')} MiB free`;
  if (free < TOO_LITTLE)
    return problem(
      `The disk of ${dataHome} is full: ${freeSpace}.`,
      'Free some space, or set DATA_HOME to another disk.',
    );
  const message = exists ? `${dataHome}, ${freeSpace}.` : `${dataHome} will be created, ${freeSpace}.`;
  return free >= SCARCE ? ok(message) : note(message, 'The disk is nearly full; free some space soon.');
}

function holderOf(dataHome: string): DataHomeFinding['holder'] {
  try {
    lockDataHome(dataHome).release();
    return undefined;
  } catch (error) {
    if (error instanceof DataHomeLockedError) return { pid: error.pid };
    throw error;
  }
}

/** Returns the folder itself, or the nearest existing parent in which it would be created. */
function nearestFolder(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestFolder(dirname(path));
}

async function isWritableFolder(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
