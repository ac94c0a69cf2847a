// Signing in with e-mail and password, and signing out.
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AuditAct, AuditLog } from '../storage/audit-log.ts';
import type { UserRecord, UserRepository } from '../storage/users.ts';
import type { LoginLimiter } from './login-limiter.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

interface SignInRequest {
  readonly email: string;
  readonly password: string;
  readonly clientIp: string;
}

/**
 * Throws `invalid_credentials`, also for an unknown e-mail, or `too_many_attempts`. The outcome is in the
 * audit log before the promise settles. Throws `unavailable` when the audit log cannot be written.
 */
export type SignIn = (request: SignInRequest) => Promise<UserRecord>;

export interface SignInDependencies {
  readonly users: UserRepository;
  readonly passwords: Passwords;
  readonly limiter: LoginLimiter;
  readonly audit: AuditLog;
}

export function createSignIn({ users, passwords, limiter, audit }: SignInDependencies): SignIn {
  async function matching({ email, password, clientIp }: SignInRequest) {
    const account = await users.findByEmail(email);
    const passwordHash = account?.passwordHash;
    return { account, matches: await passwords.verify({ password, passwordHash, clientIp }) };
  }

  return async (request) => {
    const { clientIp, email } = request;
    const attempt = limiter.begin({ clientIp, account: email });
    const { account, matches } = await attempt.during(matching(request));
    if (account !== undefined && matches) {
      const { id } = account;
      await attempt.during(audit.append({ act: 'sign_in', actor: id, clientIp, subject: id }));
      attempt.succeeded();
      return account;
    }
    const acts: AuditAct[] = ['sign_in_failed'];
    if (attempt.failed() === 'locked') acts.push('lockout');
    // The typed e-mail is not recorded, because people sometimes type their password there.
    for (const act of acts) await audit.append({ act, actor: null, clientIp, subject: account?.id ?? null });
    throw new ServiceError('invalid_credentials', 'The e-mail or password is wrong.');
  };
}

/**
 * Ends the session of the token. A user must be able to leave a shared computer even while the audit log
 * cannot be written; the failure then goes to the service's log. Ignores a token without a session. Throws
 * `unavailable` when the session could not be ended.
 */
export type SignOut = (request: {
  readonly token: string | undefined;
  readonly clientIp: string;
}) => Promise<void>;

interface SignOutDependencies {
  readonly sessions: Pick<Sessions, 'authenticate' | 'signOut'>;
  readonly audit: AuditLog;
  readonly log: Log;
}

export function createSignOut({ sessions, audit, log }: SignOutDependencies): SignOut {
  return async ({ token, clientIp }) => {
    const found = await sessions.authenticate(token).catch(nobody);
    if (found === undefined) return;
    const { user, session } = found;
    await sessions.signOut(user, session.sessionId);
    const entry = { act: 'sign_out', actor: user.id, clientIp, subject: user.id } as const;
    await audit.append(entry).catch((err: unknown) => {
      log.error({ err, ...entry }, 'the audit log could not be written');
    });
  };
}

/** Ignores a refusal: there is no session to end. Rethrows other errors, such as a failing database. */
function nobody(error: unknown): undefined {
  if (error instanceof ServiceError && error.code !== 'unavailable') return undefined;
  throw error;
}
