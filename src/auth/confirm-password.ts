// Asks for the password again before an account is changed or deleted: a stolen session is not enough.
import { ServiceError } from '../errors.ts';
import type { UserRecord } from '../storage/users.ts';
import type { SignInDependencies } from './sign-in.ts';

/**
 * Throws `wrong_current_password`. Throws `too_many_attempts` under the same limits as signing in, so that a
 * session cannot be used to guess passwords.
 */
export type ConfirmPassword = (
  user: UserRecord,
  asked: { readonly password: string; readonly clientIp: string },
) => Promise<void>;

type Parts = Omit<SignInDependencies, 'users'>;

export function createConfirmPassword({ passwords, limiter, audit }: Parts): ConfirmPassword {
  return async (user, { password, clientIp }) => {
    const { id, passwordHash } = user;
    // Not counted under the e-mail, or outside guesses could lock users out of their own settings.
    const attempt = limiter.begin({ clientIp, account: `signed in: ${id}` });
    const matches = await attempt.during(passwords.verify({ password, passwordHash, clientIp }));
    if (matches) {
      attempt.succeeded();
      return;
    }
    // The audit log records a lockout, but not each refused change.
    if (attempt.failed() === 'locked')
      await audit.append({ act: 'lockout', actor: user.id, clientIp, subject: user.id });
    throw new ServiceError('wrong_current_password', 'The password is wrong.');
  };
}
