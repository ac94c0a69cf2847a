// The data home: can it be written to, is there room, and is a service running on it?
import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DataHomeLockedError, lockDataHome } from '../../workspace/data-home-lock.ts';
import type { Finding } from '../finding.ts';

export interface DataHomeFinding {
  readonly finding: Finding;
  /** The service that is running on it; `pid` when it is known. */
  readonly holder: { readonly pid: number | undefined } | undefined;
}

const MEBIBYTE = 1024 ** 2;
const SCARCE = 1024 * MEBIBYTE;
const TOO_LITTLE = 50 * MEBIBYTE;

export async function checkDataHome(dataHome: string): Promise<DataHomeFinding> {
  const folder = await nearestFolder(dataHome);
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
  if (free >= SCARCE) return { verdict: 'ok', subject: 'data home', message };
  return {
    verdict: 'note',
    subject: 'data home',
    message,
    fix: 'The disk is nearly full; free some space soon.',
  };
}

function problem(message: string, fix: string): Finding {
  return { verdict: 'problem', subject: 'data home', message, fix };
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

/** The folder itself, or the one in which it would be created. */
async function nearestFolder(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch {
    return path === dirname(path) ? path : nearestFolder(dirname(path));
  }
}

async function isWritableFolder(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
