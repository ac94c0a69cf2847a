// Session tokens: signed, short facts about who signed in (decisions, section 2, JWT).
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';

const ALGORITHM = 'HS256';

const claimsSchema = z.object({ sub: z.string().min(1), ver: z.int().min(0), exp: z.number() });

interface TokenClaims {
  readonly userId: string;
  /** The account's `tokenVersion` when the token was made. */
  readonly version: number;
}

export interface Tokens {
  /** Seconds that a token lives. */
  readonly lifeSeconds: number;
  issue(claims: TokenClaims): Promise<string>;
  /** Throws `token_expired` or, for everything else that is wrong with it, `token_invalid`. */
  verify(token: string): Promise<TokenClaims>;
}

export interface TokenDependencies {
  readonly secret: string;
  readonly lifeSeconds: number;
  readonly now?: () => number;
}

/**
 * Tokens whose signature was found good: checking it again on every request is a tenth of a short run, and sessions
 * that follow a stream are checked every few seconds.
 */
const MOST_VERIFIED = 10_000;

interface VerifiedToken {
  readonly claims: TokenClaims;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

export function createTokens({ secret, lifeSeconds, now = Date.now }: TokenDependencies): Tokens {
  const key = new TextEncoder().encode(secret);
  const verified = new LRUCache<string, VerifiedToken>({ max: MOST_VERIFIED });
  return {
    lifeSeconds,
    issue({ userId, version }) {
      const issuedAt = Math.floor(now() / 1000);
      return new SignJWT({ ver: version })
        .setProtectedHeader({ alg: ALGORITHM })
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifeSeconds)
        .sign(key);
    },
    async verify(token) {
      const known = verified.get(token);
      if (known !== undefined && now() < known.expiresAt * 1_000) return known.claims;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          requiredClaims: ['sub', 'iat', 'exp', 'ver'],
          currentDate: new Date(now()),
        });
        const { sub, ver, exp } = claimsSchema.parse(payload);
        const claims = { userId: sub, version: ver };
        verified.set(token, { claims, expiresAt: exp });
        return claims;
      } catch (error) {
        throw toTokenError(error);
      }
    },
  };
}

function toTokenError(cause: unknown): ServiceError {
  return cause instanceof errors.JWTExpired
    ? new ServiceError('token_expired', 'Your session has ended. Sign in again.', { cause })
    : new ServiceError('token_invalid', 'Your session is not valid. Sign in again.', { cause });
}
