// Signing in with e-mail and password.
import { ServiceError } from '../errors.ts';
import type { AuditAct, AuditLog } from '../storage/audit-log.ts';
import type { UserRecord, UserRepository } from '../storage/users.ts';
import type { LoginLimiter } from './login-limiter.ts';
import type { Passwords } from './passwords.ts';

interface SignInRequest {
  readonly email: string;
  readonly password: string;
  readonly clientIp: string;
}

/**
 * Throws `invalid_credentials`, the same for an unknown e-mail, or `too_many_attempts`. Whatever the outcome is, the
 * audit log has it before anybody hears of it: `unavailable` when it cannot be written.
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
    const orAbandoned = <T>(work: Promise<T>): Promise<T> =>
      work.catch((error: unknown) => {
        attempt.abandoned();
        throw error;
      });
    const { account, matches } = await orAbandoned(matching(request));
    if (account !== undefined && matches) {
      const { id } = account;
      await orAbandoned(audit.append({ act: 'sign_in', actor: id, clientIp, subject: id }));
      attempt.succeeded();
      return account;
    }
    const acts: AuditAct[] = ['sign_in_failed'];
    if (attempt.failed() === 'locked') acts.push('lockout');
    // Not the e-mail that was typed: people type passwords there.
    for (const act of acts) await audit.append({ act, actor: null, clientIp, subject: account?.id ?? null });
    throw new ServiceError('invalid_credentials', 'The e-mail or the password is wrong.');
  };
}
