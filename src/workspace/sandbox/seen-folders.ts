// Everything that a command sees of the folders of this machine: its thread's, and those that it can only read.
import { lstat, realpath } from 'node:fs/promises';
import { ServiceError } from '../../errors.ts';
import type { WorkspacePlace } from '../paths.ts';
import type { ReadOnlyFolder } from '../read-only/read-only-folders.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import { type AreaFolder, areaFolders } from './area-folders.ts';
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
