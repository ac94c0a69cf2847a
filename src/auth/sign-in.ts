// Signing in with e-mail and password.
import { ServiceError } from '../errors.ts';
import type { UserRecord, UserRepository } from '../storage/users.ts';
import type { LoginLimiter } from './login-limiter.ts';
import type { Passwords } from './passwords.ts';

interface SignInRequest {
  readonly email: string;
  readonly password: string;
  readonly clientIp: string;
}

/** Throws `invalid_credentials`, the same for an unknown e-mail, or `too_many_attempts`. */
export type SignIn = (request: SignInRequest) => Promise<UserRecord>;

export interface SignInDependencies {
  readonly users: UserRepository;
  readonly passwords: Passwords;
  readonly limiter: LoginLimiter;
}

export function createSignIn({ users, passwords, limiter }: SignInDependencies): SignIn {
  async function matching({ email, password }: SignInRequest): Promise<UserRecord | undefined> {
    const user = await users.findByEmail(email);
    return (await passwords.verify(password, user?.passwordHash)) ? user : undefined;
  }

  return async (request) => {
    const attempt = limiter.begin(request.clientIp);
    const user = await matching(request).catch((error: unknown) => {
      attempt.abandoned();
      throw error;
    });
    if (user === undefined) {
      attempt.failed();
      throw new ServiceError('invalid_credentials', 'The e-mail or the password is wrong.');
    }
    attempt.succeeded();
    return user;
  };
}
