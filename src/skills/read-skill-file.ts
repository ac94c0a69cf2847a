// One file of a skill, as its reader gets it.
import { constants } from 'node:fs';
import { notFound, ServiceError } from '../errors.ts';
import { insideDataHome, openChildFile } from '../workspace/folder.ts';
import { isFileSystemError } from '../workspace/workspace-failure.ts';
import { fileVersion } from './file-version.ts';
import type { SkillCatalog } from './skill-catalog.ts';

interface SkillFileContent {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Another one after every change. */
  readonly version: string;
}

/** Throws `not_found` for everything that is no plain file of the skill, `payload_too_large` for more than 16 MiB. */
export type ReadSkillFile = (userId: string, name: string, path: string) => Promise<SkillFileContent>;

const MAX_BYTES = 16 * 1_048_576;
const MAX_PATH_CHARACTERS = 4_096;

export function createReadSkillFile({ catalog }: { readonly catalog: SkillCatalog }): ReadSkillFile {
  return async (userId, name, path) => {
    const { place } = await catalog.get(userId, name);
    const names = path.split('/');
    // What begins with a dot is no part of a skill, and leads nowhere.
    const isPath = names.every((one) => one !== '' && !one.startsWith('.') && !one.includes('\0'));
    if (!isPath || path.length > MAX_PATH_CHARACTERS) throw notFound('File');
    const file = names.at(-1) ?? '';
    const at = { names: [...place.names, ...names.slice(0, -1)], create: false };
    try {
      const content = await insideDataHome(place.root, at, async (folder) => {
        const { handle, stats } = await openChildFile(folder, file, constants.O_RDONLY);
        try {
          if (!stats.isFile()) throw notFound('File');
          if (stats.size > MAX_BYTES)
            throw new ServiceError('payload_too_large', 'The file is too large to be shown.');
          return { bytes: new Uint8Array(await handle.readFile()), version: fileVersion(stats) };
        } finally {
          await handle.close();
        }
      });
      return { name: file, ...content };
    } catch (error) {
      if (isFileSystemError(error)) throw notFound('File');
      throw error;
    }
  };
}
