// Access tokens that are renewed before they expire, once for all callers.
import { createHash } from 'node:crypto';
import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import type { Log } from '../../log.ts';
import type { SealedFiles } from './sealed-file.ts';

/** Times are epoch milliseconds. */
interface HeldToken {
  readonly accessToken: string;
  readonly receivedAt: number;
  /** `null` when the expiry is unknown. */
  readonly expiresAt: number | null;
}

/** The source of the tokens of one account at one server. */
export interface TokenSource {
  /** Unique for each account and server. */
  readonly key: string;
  /** How long before its expiry a token is no longer used, in milliseconds. */
  readonly skewMs: number;
  read(): Promise<HeldToken | undefined>;
  /**
   * Requests the token that follows `stale` and stores it. Returns the current token when it has already
   * replaced `stale`, and `undefined` when a person must sign in. Rejects when the server does not respond.
   */
  renew(stale: string | undefined): Promise<HeldToken | undefined>;
}

/** What a source needs to read, request and store its tokens. */
export interface TokenSourceParts<Stored> {
  readonly files: SealedFiles<Stored>;
  readonly fetch: FetchLike;
  readonly now: () => number;
}

/** A server that refuses a token as young as this would refuse the next one. */
const YOUNG_MS = 30_000;

/**
 * The returned function is for the library's transports: it says what goes with every request, and what happens
 * when it is refused.
 */
export function createFreshTokens({ log, now }: { readonly log: Log; readonly now: () => number }) {
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
    // The token still works, so no request waits for the next one.
    renewOnce(source, held).catch((err: unknown) =>
      log.warn({ err }, 'an access token could not be renewed; trying again'),
    );
    return held.accessToken;
  };

  return (source: TokenSource): AuthProvider => {
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
  };
}

/** Differs per account, so that people who signed in at the same time do not renew at the same time. */
function earlyMs({ receivedAt, expiresAt }: HeldToken, { key, skewMs }: TokenSource): number {
  const life = Math.max(0, (expiresAt ?? receivedAt) - receivedAt);
  const fraction = createHash('sha256').update(key).digest().readUInt16BE(0) / 65_536;
  return Math.min(skewMs, life / 4) * (1 + fraction);
}
