// Where a thread's files lie in the data home, and the virtual paths under which the agent knows them. Pure.
import { join, relative, sep } from 'node:path';
import { invalid, ServiceError, validationFailed } from '../errors.ts';

/** The folder that the agent, its tools and clients see. Every path in a message starts with it. */
export const VIRTUAL_ROOT = '/mnt/user-data';

/** The folders below the virtual root. Nothing else exists there. */
export const AREAS = ['workspace', 'uploads', 'outputs'] as const;

/** The folder of the data home in which files are written before they are moved to their places. */
export const DRAFTS = 'tmp';

/** The owner and the thread of files. `userId` is `null` for the layout of threads without an owner. */
export interface WorkspacePlace {
  readonly userId: string | null;
  readonly threadId: string;
}

/** A checked virtual path: its `text`, and its components below its root, usually the virtual root. */
export interface VirtualPath {
  readonly text: string;
  readonly names: readonly string[];
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4096;
const MAX_LEVELS = 64;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u{e0000}-\u{e007f}]/u;
// Overrides of the writing direction disguise a name as another one.
const DIRECTION_OVERRIDE = /[\u202a-\u202e\u2066-\u2069]/u;
const DRIVE = /^[A-Za-z]:/;

/** Returns the names from the data home to the thread's folder. Throws `validation_failed` for a bad id. */
export function threadFolderNames({ userId, threadId }: WorkspacePlace): readonly string[] {
  if (!ID.test(threadId)) throw badId('thread_id');
  if (userId === null) return ['threads', threadId];
  return [...userFolderNames(userId), 'threads', threadId];
}

/** Returns the names from the data home to a person's folder. Throws `validation_failed` for a bad id. */
export function userFolderNames(userId: string): readonly string[] {
  if (!ID.test(userId)) throw badId('user_id');
  return ['users', userId];
}

/** Returns the path components of the folder behind the virtual root. */
export function userDataNames(place: WorkspacePlace): readonly string[] {
  return [...threadFolderNames(place), 'user-data'];
}

/**
 * Checks a path from a model or a client. One slash at the end is allowed. Throws `invalid` with a sentence
 * that names nothing but the virtual path. Converts names to NFC, so that a name has one spelling.
 */
export function parseVirtualPath(path: string): VirtualPath {
  const parsed = parsePathBelow(VIRTUAL_ROOT, path);
  if (parsed === undefined || (parsed.names.length > 0 && !isArea(parsed.names[0]))) throw outside(path);
  return parsed;
}

/** The same for a path below another root, with any first name. `undefined`: it is outside of that root. */
export function parsePathBelow(root: string, path: string): VirtualPath | undefined {
  refuseStrangeText(path);
  const text = (path.endsWith('/') ? path.slice(0, -1) : path).normalize('NFC');
  if (text === root) return { text, names: [] };
  if (!text.startsWith(`${root}/`)) return undefined;
  const names = text.slice(root.length + 1).split('/');
  if (names.length > MAX_LEVELS) throw invalid(`The path has more than ${MAX_LEVELS} levels.`);
  for (const name of names) refuseStrangeName(name, { path, root });
  return { text, names };
}

/** Like `parseVirtualPath`, for a file: the path lies in one of the areas and has no slash at its end. */
export function parseFilePath(path: string): VirtualPath {
  const parsed = parseVirtualPath(path);
  if (parsed.names.length < 2 || path.endsWith('/'))
    throw invalid(`${parsed.text} names a folder, not a file.`);
  return parsed;
}

/**
 * True when a file may have exactly these names below the virtual root. A name that is not NFC would come
 * back as another one, and some names could be written to mislead the agent.
 */
export function areFileNames(names: readonly string[]): boolean {
  try {
    const path = parseFilePath([VIRTUAL_ROOT, ...names].join('/'));
    return path.names.join('/') === names.join('/');
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/**
 * Returns the real path, for other programs. The service opens files through `Folder`, which follows no link.
 */
export function toRealPath(dataHome: string, place: WorkspacePlace, path: VirtualPath): string {
  return join(dataHome, ...userDataNames(place), ...path.names);
}

/** Returns the virtual path of a real one; `undefined` when it lies outside of the thread's files. */
export function toVirtualPath(dataHome: string, place: WorkspacePlace, realPath: string): string | undefined {
  const below = relative(join(dataHome, ...userDataNames(place)), realPath);
  const names = below === '' ? [] : below.split(sep);
  if (names.length > 0 && !isArea(names[0])) return undefined;
  return [VIRTUAL_ROOT, ...names].join('/');
}

function isArea(name: string | undefined): boolean {
  return AREAS.some((area) => area === name);
}

function refuseStrangeText(path: string): void {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw invalid(`The path is longer than ${MAX_PATH_BYTES} bytes.`);
  if (!path.isWellFormed() || CONTROL.test(path) || DIRECTION_OVERRIDE.test(path)) {
    throw invalid('The path contains control characters; use plain names.');
  }
  if (path.includes('\\')) throw invalid('The path contains a backslash; separate folders with "/".');
}

function refuseStrangeName(
  name: string,
  { path, root }: { readonly path: string; readonly root: string },
): void {
  if (name === '' || name === '.' || name === '..') {
    throw invalid(`The path ${path} contains "//", "." or ".."; write it out from ${root}.`);
  }
  if (DRIVE.test(name)) throw invalid(`The path ${path} contains a drive letter; write it from ${root}.`);
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw invalid(`A name in the path is longer than ${MAX_NAME_BYTES} bytes; use a shorter one.`);
  }
}

function outside(path: string) {
  const areas = AREAS.map((area) => `${VIRTUAL_ROOT}/${area}`).join(', ');
  return invalid(`The path ${path} is outside of the thread's files; use a path under ${areas}.`);
}

function badId(field: string) {
  return validationFailed(
    ['path', field],
    `${field} must match ^[A-Za-z0-9_-]{1,64}$`,
    'string_pattern_mismatch',
  );
}
