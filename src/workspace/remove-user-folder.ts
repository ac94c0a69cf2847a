// Removes everything that an account has on disk.
import { rm } from 'node:fs/promises';
import { insideDataHome } from './folder.ts';
import { userFolderNames } from './paths.ts';
import { isFileSystemError } from './workspace-failure.ts';

/** Idempotent. Throws `validation_failed` for a bad id, and what the file system says. */
export async function removeUserFolder(dataHome: string, userId: string): Promise<void> {
  const [users = '', user = ''] = userFolderNames(userId);
  try {
    await insideDataHome(dataHome, { names: [users], create: false }, (folder) =>
      rm(folder.at(user), { recursive: true, force: true, maxRetries: 3 }),
    );
  } catch (error) {
    if (!isFileSystemError(error, 'ENOENT')) throw error;
  }
}
