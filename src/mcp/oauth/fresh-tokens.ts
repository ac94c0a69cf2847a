// Access tokens that are renewed before they end, once for all who ask.
import { createHash } from 'node:crypto';
import type { AuthProvider } from '@modelcontextprotocol/client';
import type { Log } from '../../log.ts';

/** Times are epoch milliseconds. */
interface HeldToken {
  readonly accessToken: string;
  readonly receivedAt: number;
  /** `null`: nothing is known of its end. */
  readonly expiresAt: number | null;
}

/** Where the tokens of one account at one server come from. */
export interface TokenSource {
  /** Of the account and the server; no two have the same. */
  readonly key: string;
  /** How long before its end a token is no longer used, in milliseconds. */
  readonly skewMs: number;
  /** `undefined`: there is none. */
  read(): Promise<HeldToken | undefined>;
  /**
   * Asks the authorization server for the token that follows `stale` and keeps it; when there is another one than that
   * already, it is the answer. `undefined`: a person must sign in. Rejects when the server does not answer.
   */
  renew(stale: string | undefined): Promise<HeldToken | undefined>;
}

export interface FreshTokens {
  /** For the transports of the library: what goes with every request, and what is done when it is refused. */
  providerFor(source: TokenSource): AuthProvider;
}

/** A server that refuses a token as young as this would refuse the next one. */
const YOUNG_MS = 30_000;

interface FreshTokenParts {
  readonly log: Log;
  readonly now: () => number;
}

export function createFreshTokens({ log, now }: FreshTokenParts): FreshTokens {
  const renewals = new Map<string, Promise<HeldToken | undefined>>();

  const renewOnce = (source: TokenSource, stale: HeldToken | undefined): Promise<HeldToken | undefined> => {
    const underWay = renewals.get(source.key);
    if (underWay !== undefined) return underWay;
    const renewal = source.renew(stale?.accessToken).finally(() => renewals.delete(source.key));
    renewals.set(source.key, renewal);
    return renewal;
  };

  const token = async (source: TokenSource): Promise<string | undefined> => {
    const held = await source.read();
    if (held === undefined) return (await renewOnce(source, held))?.accessToken;
    const left = held.expiresAt === null ? Number.POSITIVE_INFINITY : held.expiresAt - now();
    if (left > earlyMs(held, source)) return held.accessToken;
    if (left <= 0) return (await renewOnce(source, held))?.accessToken;
    // It still works: nobody waits for the next one.
    renewOnce(source, held).catch((err: unknown) =>
      log.warn({ err }, 'an access token could not be renewed; trying again'),
    );
    return held.accessToken;
  };

  return {
    providerFor(source) {
      let used: string | undefined;
      return {
        async token() {
          used = await token(source);
          return used;
        },
        async onUnauthorized() {
          const held = await source.read();
          if (held !== undefined && held.accessToken !== used) return;
          const isYoung = held !== undefined && now() - held.receivedAt < YOUNG_MS;
          if (!isYoung && (await renewOnce(source, held)) !== undefined) return;
          const { UnauthorizedError } = await import('@modelcontextprotocol/client');
          throw new UnauthorizedError('The server asks for a sign-in.');
        },
      };
    },
  };
}

/** Not the same for all, so that those who signed in at the same time do not renew at the same time. */
function earlyMs({ receivedAt, expiresAt }: HeldToken, { key, skewMs }: TokenSource): number {
  const life = Math.max(0, (expiresAt ?? receivedAt) - receivedAt);
  const fraction = createHash('sha256').update(key).digest().readUInt16BE(0) / 65_536;
  return Math.min(skewMs, life / 4) * (1 + fraction);
}
