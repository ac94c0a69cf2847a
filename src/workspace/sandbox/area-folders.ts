// The folders of a thread that a command sees, as real paths; made when they are missing.
import { realpath } from 'node:fs/promises';
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
