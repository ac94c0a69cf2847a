// Changing or deleting an account requires its password again: a stolen session is not enough.
import { ServiceError } from '../errors.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { UserRecord } from '../storage/users.ts';
import type { LoginLimiter } from './login-limiter.ts';
import type { Passwords } from './passwords.ts';

/**
 * Throws `wrong_current_password`, and `too_many_attempts` as signing in does, with the same count: passwords are not for
 * guessing with a session either.
 */
export type ConfirmPassword = (
  user: UserRecord,
  asked: { readonly password: string; readonly clientIp: string },
) => Promise<void>;

export function createConfirmPassword({
  passwords,
  limiter,
  audit,
}: {
  readonly passwords: Passwords;
  readonly limiter: LoginLimiter;
  readonly audit: Pick<AuditLog, 'append'>;
}): ConfirmPassword {
  return async (user, { password, clientIp }) => {
    const { id, passwordHash } = user;
    // Not under the e-mail: who guesses at it from outside must not keep the person out of the account's settings.
    const attempt = limiter.begin({ clientIp, account: `signed in: ${id}` });
    const matches = await passwords.verify({ password, passwordHash, clientIp }).catch((error: unknown) => {
      attempt.abandoned();
      throw error;
    });
    if (matches) {
      attempt.succeeded();
      return;
    }
    // A refused change is no row of the audit log, an address that goes on guessing is one.
    if (attempt.failed() === 'locked')
      await audit.append({ act: 'lockout', actor: user.id, clientIp, subject: user.id });
    throw new ServiceError('wrong_current_password', 'The password is wrong.');
  };
}
