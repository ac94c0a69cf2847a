// The administrator that the first start creates (docs/contract/authentication.md#the-first-administrator).
import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import type { UserRepository } from '../storage/users.ts';
import {
  type GeneratedCredentials,
  generatedPassword,
  type InitialCredentials,
} from './initial-credentials.ts';
import { type Passwords, THE_SERVICE } from './passwords.ts';

export interface BootstrapDependencies {
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly initialCredentials: InitialCredentials;
  readonly email: string;
  readonly log: Log;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/**
 * Creates an administrator when no user exists, and assigns ownerless threads to the first administrator.
 * Safe to call at every start and from several processes concurrently.
 */
export async function bootstrapAdmin(dependencies: BootstrapDependencies): Promise<void> {
  const { storage, log } = dependencies;
  if ((await storage.users.findFirstAdmin()) === undefined) await createFirstAdmin(dependencies);
  const admin = await storage.users.findFirstAdmin();
  if (admin === undefined) return;
  const adopted = await storage.adoptOwnerlessThreads(admin.id);
  if (adopted > 0) log.info({ threads: adopted }, 'Ownerless threads now belong to the first administrator');
}

/**
 * Writes the file first and creates the account from its contents. If two processes race, or one crashes
 * between the two steps, every inserted account matches the file.
 */
async function createFirstAdmin(dependencies: BootstrapDependencies): Promise<void> {
  const { storage, passwords, initialCredentials, email, log } = dependencies;
  const { now = Date.now, newId = randomUUID } = dependencies;
  const draft = { userId: newId(), email, password: generatedPassword() };
  const outcome = await initialCredentials.writeNew(draft);
  const credentials = outcome === 'written' ? draft : await credentialsInFile(initialCredentials);
  const { userId } = credentials;
  const audited = storage.users.audited({
    act: 'admin_create',
    actor: null,
    clientIp: null,
    subject: userId,
  });
  const inserted = await audited.insertFirst(
    {
      id: credentials.userId,
      email: credentials.email,
      passwordHash: await passwords.hash(credentials.password, THE_SERVICE),
      systemRole: 'admin',
      needsSetup: true,
      tokenVersion: 0,
      oauthProvider: null,
      oauthId: null,
      createdAt: now(),
    },
    'no_user',
  );
  if (inserted) {
    log.info(
      { path: initialCredentials.path },
      'Created the first administrator; its credentials are in this file',
    );
  } else if (outcome === 'written') {
    await removeUnlessTrue(storage.users, initialCredentials, credentials);
  }
}

async function credentialsInFile(file: InitialCredentials): Promise<GeneratedCredentials> {
  const credentials = await file.read();
  if (credentials !== undefined) return credentials;
  throw new Error(`${file.path} exists, but this service did not write it. Remove it and start again.`);
}

/** Keeps the file if another process has inserted the account that it describes. */
async function removeUnlessTrue(
  users: UserRepository,
  file: InitialCredentials,
  { userId }: GeneratedCredentials,
): Promise<void> {
  if ((await users.get(userId)) === undefined) await file.removeFor(userId);
}
