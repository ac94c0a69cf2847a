// Accounts: registration, first-time setup, and changing one's password or e-mail.
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { SystemRole, UserPatch, UserRecord, UserRepository } from '../storage/users.ts';
import type { InitialCredentials } from './initial-credentials.ts';
import type { Passwords } from './passwords.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** Given by the person who takes over a generated account; ends its setup. */
  readonly newEmail?: string | undefined;
}

interface EmailChange {
  readonly currentPassword: string;
  readonly newEmail: string;
}

/** All passwords and e-mails that come in here are valid already (`passwordProblem`). */
export interface Accounts {
  readonly registrationOpen: boolean;
  /** Throws `registration_disabled` or `email_already_exists`. */
  register(credentials: Credentials): Promise<UserRecord>;
  /** Makes the first administrator. Throws `system_already_initialized` once there is one. */
  initialize(credentials: Credentials): Promise<UserRecord>;
  /** Whether nobody administers the service yet. */
  needsInitialization(): Promise<boolean>;
  /** Ends every session of the user. Throws `wrong_current_password`, `email_already_exists` or `conflict`. */
  changePassword(user: UserRecord, change: PasswordChange): Promise<UserRecord>;
  /** Same rules as `changePassword`. */
  changeEmail(user: UserRecord, change: EmailChange): Promise<UserRecord>;
}

export interface AccountDependencies {
  readonly users: UserRepository;
  readonly passwords: Passwords;
  readonly initialCredentials: InitialCredentials;
  readonly registrationOpen: boolean;
  readonly log: Log;
  readonly now?: () => number;
  readonly newId?: () => string;
}

export function createAccounts(dependencies: AccountDependencies): Accounts {
  const { users, passwords, initialCredentials, registrationOpen, log } = dependencies;
  const { now = Date.now, newId = randomUUID } = dependencies;

  async function newUser({ email, password }: Credentials, systemRole: SystemRole): Promise<UserRecord> {
    return {
      id: newId(),
      email,
      passwordHash: await passwords.hash(password),
      systemRole,
      needsSetup: false,
      tokenVersion: 0,
      oauthProvider: null,
      oauthId: null,
      createdAt: now(),
    };
  }

  /** Every change ends the sessions that were opened before it. */
  async function change(user: UserRecord, patch: UserPatch): Promise<UserRecord> {
    const changed = await users.update(user.id, user.tokenVersion, {
      ...patch,
      tokenVersion: user.tokenVersion + 1,
    });
    if (changed === 'email_taken') throw emailTaken();
    if (changed === 'stale') {
      throw new ServiceError('conflict', 'This account was changed at the same time. Sign in and try again.');
    }
    return changed;
  }

  async function confirm(user: UserRecord, currentPassword: string): Promise<void> {
    if (await passwords.verify(currentPassword, user.passwordHash)) return;
    throw new ServiceError('wrong_current_password', 'The current password is wrong.');
  }

  async function forgetGenerated(user: UserRecord): Promise<void> {
    try {
      await initialCredentials.removeFor(user.id);
    } catch (err) {
      // The password is changed already: a file that cannot be removed holds one that no longer works.
      log.warn({ err, path: initialCredentials.path }, 'The initial credentials file could not be removed');
    }
  }

  return {
    registrationOpen,
    async register(credentials) {
      if (!registrationOpen) {
        throw new ServiceError('registration_disabled', 'This service does not accept new accounts.');
      }
      const user = await newUser(credentials, 'user');
      if ((await users.insert(user)) === 'email_taken') throw emailTaken();
      return user;
    },
    async initialize(credentials) {
      if ((await users.findFirstAdmin()) !== undefined) throw alreadyInitialized();
      if ((await users.findByEmail(credentials.email)) !== undefined) throw emailTaken();
      const user = await newUser(credentials, 'admin');
      if (!(await users.insertFirst(user, 'no_admin'))) throw alreadyInitialized();
      return user;
    },
    async needsInitialization() {
      return (await users.findFirstAdmin()) === undefined;
    },
    async changePassword(user, { currentPassword, newPassword, newEmail }) {
      await confirm(user, currentPassword);
      const passwordHash = await passwords.hash(newPassword);
      const changed = await change(user, { passwordHash, ...emailPatch(newEmail) });
      await forgetGenerated(user);
      return changed;
    },
    async changeEmail(user, { currentPassword, newEmail }) {
      await confirm(user, currentPassword);
      return await change(user, emailPatch(newEmail));
    },
  };
}

function emailPatch(email: string | undefined): UserPatch {
  return email === undefined ? {} : { email, needsSetup: false };
}

function emailTaken(): ServiceError {
  return new ServiceError('email_already_exists', 'An account with this e-mail exists already.');
}

function alreadyInitialized(): ServiceError {
  return new ServiceError('system_already_initialized', 'The service has an administrator already.');
}
