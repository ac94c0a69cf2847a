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
  /** Those of the tokens that `authenticate` would refuse. */
  ended(tokens: readonly string[]): Promise<readonly string[]>;
}

/** Sessions that are looked up in one statement. */
const AT_ONCE = 500;

export function createSessions({
  users,
  tokens,
}: {
  readonly users: UserRepository;
  readonly tokens: Tokens;
}): Sessions {
  const claimsOf = async (token: string) => {
    try {
      return { token, claims: await tokens.verify(token) };
    } catch (error) {
      if (error instanceof ServiceError) return { token, claims: undefined };
      throw error;
    }
  };
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
    async ended(given) {
      const ended: string[] = [];
      for (let first = 0; first < given.length; first += AT_ONCE) {
        const claimed = await Promise.all(given.slice(first, first + AT_ONCE).map(claimsOf));
        const userIds = claimed.flatMap(({ claims }) => (claims === undefined ? [] : [claims.userId]));
        const versions = await users.tokenVersions(userIds);
        const over = claimed.filter(
          ({ claims }) => claims === undefined || versions.get(claims.userId) !== claims.version,
        );
        ended.push(...over.map(({ token }) => token));
      }
      return ended;
    },
  };
}
