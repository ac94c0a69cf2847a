// Signed tokens that name a session, for as long as `security.jwt.expiresIn`.
import { jwtVerify, SignJWT } from 'jose';
import type { Config } from '../../config/config-schema.ts';

const ALGORITHM = 'HS256';

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens({ app, security }: Config, now: () => number = Date.now) {
  const key = new TextEncoder().encode(security.jwt.secret);
  const issuer = app.name;
  return {
    sign(sessionId: string): Promise<string> {
      const seconds = Math.floor(now() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM })
        .setJti(sessionId)
        .setIssuer(issuer)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + security.jwt.expiresIn)
        .sign(key);
    },
    /** The id of the session; `undefined` when the token is forged, expired or made for something else. */
    async verify(token: string): Promise<string | undefined> {
      const options = { algorithms: [ALGORITHM], issuer, currentDate: new Date(now()) };
      const verified = await jwtVerify(token, key, options).catch(() => undefined);
      return verified?.payload.jti;
    },
  };
}
