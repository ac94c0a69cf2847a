// Removes everything that a thread or an account has on disk.
import { rm } from 'node:fs/promises';
import { insideDataHome } from './folder.ts';
import { userFolderNames } from './paths.ts';
import { describingFailures, ifThere } from './workspace-failure.ts';

/** `threadNames` are the path components of the thread's folder below the data home. Idempotent. */
export async function removeThreadFolders(dataHome: string, threadNames: readonly string[]): Promise<void> {
  const name = threadNames.at(-1) ?? '';
  // The place for threads without an owner may still hold files of this thread that were never requested.
  for (const parents of [threadNames.slice(0, -1), ['threads']])
    await describingFailures('The files of the thread', () => removeBelow(dataHome, parents, name));
}

/** Idempotent. Throws `validation_failed` for a bad id, and errors of the file system. */
export async function removeUserFolder(dataHome: string, userId: string): Promise<void> {
  const [users = '', user = ''] = userFolderNames(userId);
  await removeBelow(dataHome, [users], user);
}

async function removeBelow(dataHome: string, names: readonly string[], name: string): Promise<void> {
  const removed = insideDataHome(dataHome, { names, create: false }, (folder) =>
    rm(folder.at(name), { recursive: true, force: true, maxRetries: 3 }),
  );
  await ifThere(removed);
}
