// An open folder: the only way into a thread's files. Never follows a link below the data home, even if one
// appears in between.
import { constants, type Dirent, lstatSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../disk/sync-folder.ts';
import { isInPlace, moved, needsCheck, placeOf } from './opened-path.ts';
import { DRAFTS } from './paths.ts';
import { isFileSystemError } from './workspace-failure.ts';

/**
 * A folder held by its descriptor. `at(name)` is a path for a file-system call about that child. On Linux it
 * goes through the descriptor (`/proc/self/fd/N/name`), so that replacing a parent by a link changes nothing.
 */
export interface Folder {
  readonly self: string;
  at(name: string): string;
  /** Resolves when everything created, renamed or removed in it is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Opens the data home, which the operator chose, so links are followed here. Creates it when missing. */
async function openRootFolder(path: string): Promise<Folder> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(made));
  return openRealFolder(path);
}

async function openRealFolder(path: string): Promise<Folder> {
  const real = await realpath(path);
  return toFolder(await open(real, O_RDONLY | O_DIRECTORY), real);
}

/** A folder by its path components. `create` creates those that are missing. */
export interface FolderAt {
  readonly names: readonly string[];
  readonly create: boolean;
}

/**
 * Uses a folder below the data home, which is created when it is missing. With `create: false`, fails with
 * `ENOENT` for a thread without a folder, before anything is opened.
 */
export async function insideDataHome<Result>(
  dataHome: string,
  at: FolderAt,
  use: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  if (!at.create && isThreadAbsent(dataHome, at.names)) throw noThread(dataHome, at.names);
  const root = await openRootFolder(dataHome);
  try {
    await adoptLegacyFiles(root, at.names);
    return await insideFolder(root, at, use);
  } finally {
    await root.close();
  }
}

/** Uses the folder in which files are written before they are moved to their places. No reader sees it. */
export function insideDrafts<Result>(
  dataHome: string,
  use: (drafts: Folder) => Promise<Result>,
): Promise<Result> {
  return insideDataHome(dataHome, { names: [DRAFTS], create: true }, use);
}

/**
 * Uses a folder at `names` below one that the service itself keeps, anywhere on this machine. Links may lead
 * to the parent of that one, but it must not be a link itself, and no link is followed below it.
 */
export async function insideRealFolder<Result>(
  real: string,
  names: readonly string[],
  use: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  const around = await openRealFolder(dirname(real));
  try {
    return await insideFolder(around, { names: [basename(real), ...names], create: false }, use);
  } finally {
    await around.close();
  }
}

/**
 * True when the thread of these files, `users/<user>/threads/<id>/<files>/...`, has no folder at all, like
 * most threads. Every run asks, and throwing an error takes longer than this check. It checks the folder by
 * its whole path, above which no agent reaches, and relies only on absence. Synchronous, because a round trip
 * to another thread takes longer, too.
 */
export function isThreadAbsent(dataHome: string, names: readonly string[]): boolean {
  const legacy = legacyNames(names);
  if (legacy === undefined) return false;
  return !isSomething(threadPath(dataHome, names)) && !isSomething(join(dataHome, ...legacy));
}

function threadPath(dataHome: string, names: readonly string[]): string {
  return join(dataHome, ...names.slice(0, 4));
}

function noThread(dataHome: string, names: readonly string[]): Error {
  const path = threadPath(dataHome, names);
  const message = `ENOENT: no such file or directory, lstat '${path}'`;
  return Object.assign(new Error(message), { code: 'ENOENT', path });
}

/** A path that cannot be inspected may exist. */
function isSomething(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/**
 * Files of a thread that has an owner may still lie at `threads/<id>`, their place before there were owners.
 * The first access moves them in one step. Moves nothing when the new place exists already, or another
 * process was faster.
 */
async function adoptLegacyFiles(root: Folder, names: readonly string[]): Promise<void> {
  const old = legacyNames(names);
  if (old === undefined) return;
  const [threads, thread, files] = old;
  if (await isThere(root.at(join(...names.slice(0, 5))))) return;
  if (!(await isThere(root.at(join(...old))))) return;
  try {
    await insideFolder(root, { names: [threads, thread], create: false }, async (legacy) => {
      if (!(await lstat(legacy.at(files))).isDirectory()) return;
      await insideFolder(root, { names: names.slice(0, 4), create: true }, async (own) => {
        await rename(legacy.at(files), own.at(files));
        await own.sync();
      });
    });
  } catch (error) {
    if (!MOVED_ALREADY.some((code) => isFileSystemError(error, code))) throw error;
  }
}

/** For `users/<user>/threads/<id>/<files>/...`, returns the place of these files before there were owners. */
function legacyNames(names: readonly string[]): readonly [string, string, string] | undefined {
  const [users, , threads, thread = '', files] = names;
  if (users !== 'users' || threads !== 'threads' || files === undefined) return undefined;
  return [threads, thread, files];
}

/** Also when the old place leads through a link, which is not followed. */
const MOVED_ALREADY = ['ENOENT', 'EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'ELOOP'];

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

/** Opens the folder at `names` below `root`, component by component. Closes it after the callback. */
export async function insideFolder<Result>(
  root: Folder,
  { names, create }: FolderAt,
  use: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  let folder = root;
  try {
    for (const name of names) {
      const next = await openChildFolder(folder, name, create);
      if (folder !== root) await folder.close();
      folder = next;
    }
    return await use(folder);
  } finally {
    if (folder !== root) await folder.close();
  }
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

/** Returns the regular files and the folders among the entries of a folder, sorted by name. */
export function filesAndFolders(entries: readonly Dirent[]): readonly FolderEntry[] {
  const found: FolderEntry[] = [];
  for (const entry of entries) {
    if (entry.isFile()) found.push({ name: entry.name, kind: 'file' });
    else if (entry.isDirectory()) found.push({ name: entry.name, kind: 'folder' });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** Uses the opened file, and closes it. */
export async function useFile<Result>(
  opening: Promise<OpenFile>,
  use: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  const file = await opening;
  try {
    return await use(file);
  } finally {
    await file.handle.close();
  }
}

/** Creates a file under an unused name. The caller closes it. */
export function createChildFile(folder: Folder, name: string): Promise<OpenFile> {
  return openChildFile(folder, name, O_RDWR | O_CREAT | O_EXCL);
}

/**
 * Opens a file, for reading unless `flags` say more, without following a link and without waiting for a pipe.
 * Does not check that it is a regular file. The caller closes it.
 */
export async function openChildFile(folder: Folder, name: string, flags = O_RDONLY): Promise<OpenFile> {
  const handle = await open(folder.at(name), flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const stats = await handle.stat();
    await confirmInPlace(folder.at(name), async () => stats);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openChildFolder(parent: Folder, name: string, create: boolean): Promise<Folder> {
  const path = parent.at(name);
  try {
    return await openDirectory(path);
  } catch (error) {
    if (!create || !isFileSystemError(error, 'ENOENT')) throw error;
  }
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!isFileSystemError(error, 'EEXIST')) throw error;
  }
  await parent.sync();
  return openDirectory(path);
}

async function openDirectory(path: string): Promise<Folder> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await confirmInPlace(path, () => handle.stat());
    return toFolder(handle, path);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function toFolder(handle: FileHandle, path: string): Folder {
  return { ...placeOf(handle.fd, path), sync: () => handle.sync(), close: () => handle.close() };
}

async function confirmInPlace(path: string, opened: () => Promise<Stats>): Promise<void> {
  if (!needsCheck(path)) return;
  const [stats, named, real] = await Promise.all([opened(), lstat(path), realpath(path)]);
  if (!isInPlace({ path, opened: stats, named, real })) throw moved();
}
