// From a session token to the account it belongs to, and back; and who is told that sessions have ended.
import { randomUUID } from 'node:crypto';
import { notFound, ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { SessionRegistry, SessionRepository } from '../storage/sessions.ts';
import type { UserRecord } from '../storage/users.ts';
import { deviceName } from './device-name.ts';
import type { Tokens } from './tokens.ts';

/** A session that a request came with. */
export interface OwnSession {
  readonly sessionId: string;
  /** What its writes have to repeat. */
  readonly csrfToken: string;
  /** When its user gave the password last, in epoch milliseconds. */
  readonly confirmedAt: number;
}

/** Where a request came from. */
interface Client {
  readonly clientIp: string;
  readonly userAgent: string | undefined;
}

export interface Sessions {
  /** Seconds that a session lives. */
  readonly lifeSeconds: number;
  /** A new session, with a new id, of this user who has just given the password. */
  open(user: UserRecord, client: Client): Promise<{ readonly token: string; readonly csrfToken: string }>;
  /**
   * Who the token belongs to. Throws `not_authenticated` without one, `token_invalid` for a forged or ended one,
   * `token_expired`, and `user_not_found` when the account is gone (docs/contract/authentication.md#who-is-asking).
   */
  authenticate(
    token: string | undefined,
  ): Promise<{ readonly user: UserRecord; readonly session: OwnSession }>;
  /** Those of the tokens that `authenticate` would refuse. */
  ended(tokens: readonly string[]): Promise<readonly string[]>;
  /** Its user has just given the password. */
  confirm(sessionId: string): Promise<void>;
  /** Ends a session of the user, whose repository is given. Throws `not_found`. */
  end(own: SessionRepository, user: UserRecord, ended: EndedSession): Promise<void>;
  /** Ends all sessions of the user but this one; how many there were. */
  endOthers(own: SessionRepository, user: UserRecord, kept: EndedSession): Promise<number>;
  /** Ends it without the audit log, which `SignOut` tells. */
  signOut(user: UserRecord, sessionId: string): Promise<void>;
}

interface EndedSession {
  readonly sessionId: string;
  readonly clientIp: string;
}

interface SessionDependencies {
  readonly registry: SessionRegistry;
  readonly tokens: Tokens;
  readonly ends: SessionEnds;
  readonly log: Log;
  /** Sessions that one user may have; see `SessionRegistry.open` for which one makes room. */
  readonly maxPerUser: number;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** Sessions that are looked up in one statement. */
const AT_ONCE = 500;
/** How often the time of the last use is written at most. */
const USE_MS = 300_000;

export function createSessions(dependencies: SessionDependencies): Sessions {
  const { registry, tokens, ends, log, maxPerUser, now = Date.now, newId = randomUUID } = dependencies;
  /** Sessions whose use is being written. */
  const marking = new Set<string>();

  /** Beside the request, which does not wait for it; what could not be written is tried again with the next use. */
  const markUsed = (sessionId: string, lastUsedAt: number): void => {
    const at = now();
    if (at - lastUsedAt < USE_MS || marking.has(sessionId)) return;
    marking.add(sessionId);
    registry
      .markUsed(sessionId, at)
      .catch((err: unknown) =>
        log.warn({ err, sessionId }, 'the last use of a session could not be recorded'),
      )
      .finally(() => marking.delete(sessionId));
  };

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
    async open(user, { clientIp, userAgent }) {
      const sessionId = newId();
      const at = now();
      const times = { createdAt: at, lastUsedAt: at, confirmedAt: at };
      const expiresAt = at + tokens.lifeSeconds * 1000;
      const device = deviceName(userAgent);
      await registry.open({ sessionId, userId: user.id, ...times, expiresAt, device, clientIp }, maxPerUser);
      return await tokens.issue({ userId: user.id, version: user.tokenVersion, sessionId });
    },
    async authenticate(token) {
      if (token === undefined || token === '') {
        throw new ServiceError('not_authenticated', 'Sign in first.');
      }
      const { userId, sessionId, version, csrfToken } = await tokens.verify(token);
      const found = await registry.find(userId, sessionId);
      if (found === undefined) throw new ServiceError('user_not_found', 'This account no longer exists.');
      const { user, session } = found;
      if (session === undefined || user.tokenVersion !== version) {
        throw new ServiceError('token_invalid', 'This session was ended. Sign in again.');
      }
      markUsed(sessionId, session.lastUsedAt);
      return { user, session: { sessionId, csrfToken, confirmedAt: session.confirmedAt } };
    },
    async ended(given) {
      const ended: string[] = [];
      for (let first = 0; first < given.length; first += AT_ONCE) {
        const claimed = await Promise.all(given.slice(first, first + AT_ONCE).map(claimsOf));
        const ids = claimed.flatMap(({ claims }) => (claims === undefined ? [] : [claims.sessionId]));
        const versions = await registry.live(ids);
        const over = claimed.filter(
          ({ claims }) => claims === undefined || versions.get(claims.sessionId) !== claims.version,
        );
        ended.push(...over.map(({ token }) => token));
      }
      return ended;
    },
    confirm: (sessionId) => registry.confirm(sessionId, now()),
    async end(own, user, { sessionId, clientIp }) {
      if (!(await own.end(sessionId, clientIp))) throw notFound('Session');
      ends.announce(user.id);
    },
    async endOthers(own, user, { sessionId, clientIp }) {
      const ended = await own.endOthers(sessionId, clientIp);
      ends.announce(user.id);
      return ended;
    },
    async signOut(user, sessionId) {
      await registry.end(sessionId);
      ends.announce(user.id);
    },
  };
}

/** Tells whoever follows something in this process that sessions of a user have just ended: nobody waits for the next look. */
export interface SessionEnds {
  announce(userId: string): void;
  listen(listener: (userId: string) => void): void;
}

export function createSessionEnds(): SessionEnds {
  const listeners = new Set<(userId: string) => void>();
  return {
    announce(userId) {
      for (const listener of listeners) listener(userId);
    },
    listen(listener) {
      listeners.add(listener);
    },
  };
}
