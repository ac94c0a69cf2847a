// Everything that a command sees of the folders of this machine: its thread's, and those that it can only read.
import { lstat, realpath } from 'node:fs/promises';
import { ServiceError } from '../../errors.ts';
import { insideDataHome } from '../folder.ts';
import { AREAS, toRealPath, userDataNames, VIRTUAL_ROOT, type WorkspacePlace } from '../paths.ts';
import type { ReadOnlyFolder } from '../read-only/read-only-folders.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import type { SandboxParts } from './sandbox.ts';

export interface SeenFolders {
  readonly areas: readonly AreaFolder[];
  /** As they are when the command begins; what comes later is seen by the next one. */
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

/** Whatever is wrong with them, a command works without them: `ls` on one says that it is not there. */
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

/** As the system tells it to a command. A link in its place is not followed, and what went away is not there. */
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
 * Each is a real folder below the data home, reached without following a link. A command cannot swap one for a link
 * later: it is given the folders themselves, never the one around them.
 */
async function areaFolders(dataHome: string, place: WorkspacePlace): Promise<readonly AreaFolder[]> {
  for (const area of AREAS) {
    const names = [...userDataNames(place), area];
    await insideDataHome(dataHome, { names, create: true }, async () => {});
  }
  // As the system tells it to a command, also where the operator's data home is a link: it is looked for in what is said.
  const home = await realpath(dataHome);
  return AREAS.map((area) => {
    const virtual = `${VIRTUAL_ROOT}/${area}`;
    return { virtual, real: toRealPath(home, place, { text: virtual, names: [area] }) };
  });
}
