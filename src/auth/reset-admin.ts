// Resets the password of an account whose password is lost
// (docs/contract/authentication.md#the-first-administrator).
import { ServiceError } from '../errors.ts';
import type { UserRecord, UserRepository } from '../storage/users.ts';
import { authOptionsSchema } from './auth-options.ts';
import { createInitialCredentials, generatedPassword } from './initial-credentials.ts';
import { createPasswords, type Passwords, THE_SERVICE } from './passwords.ts';

export interface ResetAdminDependencies {
  readonly users: UserRepository;
  readonly dataHome: string;
  /** The account. If absent, the first administrator. */
  readonly email?: string | undefined;
  readonly passwords?: Passwords;
}

/**
 * Sets a generated password, ends the account's sessions, requires setup again, and writes the credentials to
 * the file at `path`. Throws `not_found` when the account does not exist, and `conflict` after a concurrent
 * change.
 */
export async function resetAdmin({
  users,
  dataHome,
  email,
  passwords = createPasswords(authOptionsSchema.parse({}).password_hash),
}: ResetAdminDependencies): Promise<{ readonly email: string; readonly path: string }> {
  const user = await accountToReset(users, email);
  const file = createInitialCredentials(dataHome);
  const password = generatedPassword();
  // The file comes first: a password that is set but written nowhere would lock the operator out.
  await file.replace({ userId: user.id, email: user.email, password });
  const audited = users.audited({ act: 'admin_reset', actor: null, clientIp: null, subject: user.id });
  const changed = await audited.update(user.id, user.tokenVersion, {
    passwordHash: await passwords.hash(password, THE_SERVICE),
    needsSetup: true,
    tokenVersion: user.tokenVersion + 1,
  });
  if (typeof changed === 'string') {
    await file.removeFor(user.id);
    throw new ServiceError('conflict', 'The account was changed at the same time. Try again.');
  }
  return { email: user.email, path: file.path };
}

async function accountToReset(users: UserRepository, email: string | undefined): Promise<UserRecord> {
  const user = email === undefined ? await users.findFirstAdmin() : await users.findByEmail(email);
  if (user !== undefined) return user;
  const sentence =
    email === undefined
      ? 'There is no administrator yet. Start the service once: it creates one.'
      : `No account has the e-mail ${email}.`;
  throw new ServiceError('not_found', sentence);
}
