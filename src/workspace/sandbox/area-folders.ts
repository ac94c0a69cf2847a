// The folders of a thread that a command sees, as real paths; made when they are missing.

import { insideDataHome } from '../folder.ts';
import { AREAS, toRealPath, userDataNames, VIRTUAL_ROOT, type WorkspacePlace } from '../paths.ts';

export interface AreaFolder {
  /** `/mnt/user-data/workspace` ... */
  readonly virtual: string;
  readonly real: string;
}

/**
 * Each is a real folder below the data home, reached without following a link. A command cannot swap one for a link
 * later: it is given the folders themselves, never the one around them.
 */
export async function areaFolders(dataHome: string, place: WorkspacePlace): Promise<readonly AreaFolder[]> {
  const folders: AreaFolder[] = [];
  for (const area of AREAS) {
    const names = [...userDataNames(place), area];
    await insideDataHome(dataHome, { names, create: true }, async () => {});
    const virtual = `${VIRTUAL_ROOT}/${area}`;
    folders.push({ virtual, real: toRealPath(dataHome, place, { text: virtual, names: [area] }) });
  }
  return folders;
}
