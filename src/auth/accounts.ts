// Accounts: registration, first-time setup, and changing one's password or e-mail.
import { randomUUID } from 'node:crypto';
import { conflict, ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { NewAuditEntry } from '../storage/audit-log.ts';
import type { SystemRole, UserPatch, UserRecord, UserRepository } from '../storage/users.ts';
import type { ConfirmPassword } from './confirm-password.ts';
import type { InitialCredentials } from './initial-credentials.ts';
import type { Passwords } from './passwords.ts';
import type { RegistrationLimiter } from './registration-limiter.ts';
import type { SessionEnds } from './sessions.ts';

/** Where a request came from, for the audit log. */
interface Origin {
  readonly clientIp: string;
}

interface Credentials extends Origin {
  readonly email: string;
  readonly password: string;
}

interface PasswordChange extends Origin {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** Set by the person who claims a generated account. Ends its setup. */
  readonly newEmail?: string | undefined;
}

interface EmailChange extends Origin {
  readonly currentPassword: string;
  readonly newEmail: string;
}

export type Accounts = ReturnType<typeof createAccounts>;

type Act = Pick<NewAuditEntry, 'act' | 'clientIp' | 'details'>;

interface AccountDependencies {
  readonly users: UserRepository;
  readonly passwords: Passwords;
  readonly confirmPassword: ConfirmPassword;
  readonly initialCredentials: InitialCredentials;
  readonly registrationOpen: boolean;
  readonly registrations: RegistrationLimiter;
  readonly sessionEnds: SessionEnds;
  readonly log: Log;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/**
 * The caller has already validated all passwords (`passwordProblem`) and e-mails. A change and its row in the
 * audit log become durable together or not at all.
 */
export function createAccounts(dependencies: AccountDependencies) {
  const { users, passwords, confirmPassword, initialCredentials } = dependencies;
  const { registrationOpen, registrations, sessionEnds, log } = dependencies;

  const auditedBy = ({ id }: UserRecord, act: Act): UserRepository =>
    users.audited({ ...act, actor: id, subject: id });

  /** Every change ends the sessions that were opened before it. */
  async function change(user: UserRecord, patch: UserPatch, act: Act): Promise<UserRecord> {
    const changed = await auditedBy(user, act).update(user.id, user.tokenVersion, {
      ...patch,
      tokenVersion: user.tokenVersion + 1,
    });
    if (changed === 'email_taken') throw emailTaken();
    if (changed === 'stale')
      throw conflict('This account was changed at the same time. Sign in and try again.');
    sessionEnds.announce(user.id);
    return changed;
  }

  return {
    registrationOpen,
    /** Throws `registration_disabled`, `too_many_attempts` or `email_already_exists`. */
    async register(credentials: Credentials): Promise<UserRecord> {
      if (!registrationOpen) {
        throw new ServiceError('registration_disabled', 'This service does not accept new accounts.');
      }
      const { clientIp } = credentials;
      registrations.count(clientIp);
      const user = await newUser(dependencies, credentials, 'user');
      const outcome = await auditedBy(user, { act: 'register', clientIp }).insert(user);
      if (outcome === 'email_taken') throw emailTaken();
      return user;
    },
    /** Creates the first administrator. Throws `system_already_initialized` or `email_already_exists`. */
    async initialize(credentials: Credentials): Promise<UserRecord> {
      if ((await users.findFirstAdmin()) !== undefined) throw alreadyInitialized();
      if ((await users.findByEmail(credentials.email)) !== undefined) throw emailTaken();
      const user = await newUser(dependencies, credentials, 'admin');
      const { clientIp } = credentials;
      const first = auditedBy(user, { act: 'initialize', clientIp });
      if (!(await first.insertFirst(user, 'no_admin'))) throw alreadyInitialized();
      return user;
    },
    /** True while the service has no administrator. */
    needsInitialization: async (): Promise<boolean> => (await users.findFirstAdmin()) === undefined,
    /**
     * Changes the password and ends every session of the user. Throws `wrong_current_password`,
     * `too_many_attempts`, `email_already_exists` or `conflict`.
     */
    async changePassword(user: UserRecord, wanted: PasswordChange): Promise<UserRecord> {
      const { currentPassword, newPassword, newEmail, clientIp } = wanted;
      await confirmPassword(user, { password: currentPassword, clientIp });
      const passwordHash = await passwords.hash(newPassword, clientIp);
      const patch = { passwordHash, ...emailPatch(newEmail) };
      const details = { with_email: newEmail !== undefined };
      const changed = await change(user, patch, { act: 'password_change', clientIp, details });
      // The password has already changed, so a file that cannot be removed contains one that no longer works.
      await initialCredentials.forget(user.id, log);
      return changed;
    },
    /** Changes the e-mail under the same rules as `changePassword`. */
    async changeEmail(user: UserRecord, { currentPassword, newEmail, clientIp }: EmailChange) {
      await confirmPassword(user, { password: currentPassword, clientIp });
      return await change(user, emailPatch(newEmail), { act: 'email_change', clientIp });
    },
  };
}

async function newUser(
  { passwords, now = Date.now, newId = randomUUID }: AccountDependencies,
  { email, password, clientIp }: Credentials,
  systemRole: SystemRole,
): Promise<UserRecord> {
  return {
    id: newId(),
    email,
    passwordHash: await passwords.hash(password, clientIp),
    systemRole,
    needsSetup: false,
    tokenVersion: 0,
    oauthProvider: null,
    oauthId: null,
    createdAt: now(),
  };
}

function emailPatch(email: string | undefined): UserPatch {
  return email === undefined ? {} : { email, needsSetup: false };
}

function emailTaken(): ServiceError {
  return new ServiceError('email_already_exists', 'An account with this e-mail already exists.');
}

function alreadyInitialized(): ServiceError {
  return new ServiceError('system_already_initialized', 'The service already has an administrator.');
}
