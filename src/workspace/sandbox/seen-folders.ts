// The folders of this machine that a command sees: its thread's, and those that it can only read.
import { lstat, realpath } from 'node:fs/promises';
import { ServiceError } from '../../errors.ts';
import { insideDataHome } from '../folder.ts';
import { AREAS, toRealPath, userDataNames, VIRTUAL_ROOT, type WorkspacePlace } from '../paths.ts';
import type { ReadOnlyFolder } from '../read-only/read-only-folders.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import type { SandboxParts } from './sandbox.ts';

export interface SeenFolders {
  readonly areas: readonly AreaFolder[];
  /** As of the start of the command. Later ones are visible to the next command. */
  readonly readOnly: readonly ReadOnlyFolder[];
}

export async function seenFolders(
  { dataHome, readOnly }: Pick<SandboxParts, 'dataHome' | 'readOnly'>,
  place: WorkspacePlace,
): Promise<SeenFolders> {
  const [areas, folders] = await Promise.all([areaFolders(dataHome, place), readOnlyOf(readOnly, place)]);
  const real = await Promise.all(folders.map(realFolder));
  return { areas, readOnly: real.filter((it) => it !== undefined) };
}

/** Ignores failures, because a command works without these folders: `ls` reports that one does not exist. */
async function readOnlyOf(
  readOnly: SandboxParts['readOnly'],
  { userId }: WorkspacePlace,
): Promise<readonly ReadOnlyFolder[]> {
  try {
    return (await readOnly?.of(userId)) ?? [];
  } catch (error) {
    if (error instanceof ServiceError || isFileSystemError(error)) return [];
    throw error;
  }
}

/** Returns the path that a command sees; `undefined` for a missing folder or a link (not followed). */
async function realFolder({ virtual, real }: ReadOnlyFolder): Promise<ReadOnlyFolder | undefined> {
  try {
    if (!(await lstat(real)).isDirectory()) return undefined;
    return { virtual, real: await realpath(real) };
  } catch {
    return undefined;
  }
}

export interface AreaFolder {
  /** `/mnt/user-data/workspace` ... */
  readonly virtual: string;
  readonly real: string;
}

/**
 * Each is a real folder below the data home, reached without following a link. A command cannot replace one
 * by a link later, because it gets the folders themselves, never their parent.
 */
async function areaFolders(dataHome: string, place: WorkspacePlace): Promise<readonly AreaFolder[]> {
  for (const area of AREAS) {
    const names = [...userDataNames(place), area];
    await insideDataHome(dataHome, { names, create: true }, async () => {});
  }
  // As the system shows it to a command, even if the data home is a link. Output is searched for this path.
  const home = await realpath(dataHome);
  return AREAS.map((area) => {
    const virtual = `${VIRTUAL_ROOT}/${area}`;
    return { virtual, real: toRealPath(home, place, { text: virtual, names: [area] }) };
  });
}
