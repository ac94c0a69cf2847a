// Session tokens: short, signed claims about who signed in (docs/contract/authentication.md#sessions).
import { createHmac } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';

const ALGORITHM = 'HS256';

/** Audience and type of session tokens. Tokens made for any other purpose are refused. */
const AUDIENCE = 'agent-service';
const TYPE = 'access';

const claimsSchema = z.object({
  sub: z.string().min(1),
  ver: z.int().min(0),
  jti: z.string().min(1),
  typ: z.literal(TYPE),
  iat: z.number(),
  exp: z.number(),
});

/** A token without one of these is `token_invalid`, even if it has also expired. */
const REQUIRED_CLAIMS = Object.keys(claimsSchema.shape);

interface TokenClaims {
  readonly userId: string;
  /** The account's `tokenVersion` when the token was issued. */
  readonly version: number;
  readonly sessionId: string;
}

/**
 * `csrfToken` must be repeated by the session's writes. It is unique to the session and cannot be derived
 * without the secret.
 */
interface VerifiedClaims extends TokenClaims {
  readonly csrfToken: string;
}

export type Tokens = ReturnType<typeof createTokens>;

export interface TokenDependencies {
  readonly secret: string;
  readonly lifeSeconds: number;
  readonly now?: () => number;
}

/**
 * Maximum number of cached tokens with a verified signature. Checking the signature on every request costs a
 * tenth of a short run, and the sessions of open streams are checked every few seconds.
 */
const MOST_VERIFIED = 10_000;

interface VerifiedToken {
  readonly claims: VerifiedClaims;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

export function createTokens({ secret, lifeSeconds, now = Date.now }: TokenDependencies) {
  const key = new TextEncoder().encode(secret);
  const csrfKey = createHmac('sha256', secret).update('csrf tokens').digest();
  const csrfTokenOf = (sessionId: string): string =>
    createHmac('sha256', csrfKey).update(sessionId).digest('base64url');
  // `max` instead of `maxSize` would allocate all entries up front.
  const verified = new LRUCache<string, VerifiedToken>({ maxSize: MOST_VERIFIED, sizeCalculation: () => 1 });
  return {
    /** Lifetime of a token in seconds. */
    lifeSeconds,
    async issue({ userId, version, sessionId }: TokenClaims) {
      const issuedAt = Math.floor(now() / 1000);
      const token = await new SignJWT({ ver: version, typ: TYPE })
        .setProtectedHeader({ alg: ALGORITHM })
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifeSeconds)
        .setAudience(AUDIENCE)
        .setJti(sessionId)
        .sign(key);
      return { token, csrfToken: csrfTokenOf(sessionId) };
    },
    /** Verifies a token. Throws `token_expired`, or `token_invalid` for any other fault. */
    async verify(token: string): Promise<VerifiedClaims> {
      const known = verified.get(token);
      if (known !== undefined && now() < known.expiresAt * 1_000) return known.claims;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          audience: AUDIENCE,
          requiredClaims: REQUIRED_CLAIMS,
          currentDate: new Date(now()),
        });
        const { sub, ver, jti, exp } = claimsSchema.parse(payload);
        const claims = { userId: sub, version: ver, sessionId: jti, csrfToken: csrfTokenOf(jti) };
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
