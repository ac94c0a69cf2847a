// From a session token to the account it belongs to, and back.
import { ServiceError } from '../errors.ts';
import type { UserRecord, UserRepository } from '../storage/users.ts';
import type { Tokens } from './tokens.ts';

export interface Sessions {
  /** Seconds that a session lives. */
  readonly lifeSeconds: number;
  /** The token of a new session of this user. */
  open(user: UserRecord): Promise<string>;
  /**
   * Who the token belongs to. Throws `not_authenticated` without one, `token_invalid` for a forged or revoked one,
   * `token_expired`, and `user_not_found` when the account is gone (contract, Authentication 1).
   */
  authenticate(token: string | undefined): Promise<UserRecord>;
}

export function createSessions({
  users,
  tokens,
}: {
  readonly users: UserRepository;
  readonly tokens: Tokens;
}): Sessions {
  return {
    lifeSeconds: tokens.lifeSeconds,
    open: (user) => tokens.issue({ userId: user.id, version: user.tokenVersion }),
    async authenticate(token) {
      if (token === undefined || token === '') {
        throw new ServiceError('not_authenticated', 'Sign in first.');
      }
      const claims = await tokens.verify(token);
      const user = await users.get(claims.userId);
      if (user === undefined) throw new ServiceError('user_not_found', 'This account no longer exists.');
      if (user.tokenVersion !== claims.version) {
        throw new ServiceError('token_invalid', 'This session was ended. Sign in again.');
      }
      return user;
    },
  };
}
