// Opens, authenticates and ends sessions, and notifies listeners when sessions of a user have ended.
import { randomUUID } from 'node:crypto';
import { notFound, ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { SessionRegistry, SessionRepository } from '../storage/sessions.ts';
import type { UserRecord } from '../storage/users.ts';
import { deviceName } from './device-name.ts';
import type { Tokens } from './tokens.ts';

/** The session of a request. */
export interface OwnSession {
  readonly sessionId: string;
  /** The token that write requests must repeat. */
  readonly csrfToken: string;
  /** When the user last entered the password, in epoch milliseconds. */
  readonly confirmedAt: number;
}

/** The origin of a request. */
interface Client {
  readonly clientIp: string;
  readonly userAgent: string | undefined;
}

export type Sessions = ReturnType<typeof createSessions>;

interface EndedSession {
  readonly sessionId: string;
  readonly clientIp: string;
}

interface SessionDependencies {
  readonly registry: SessionRegistry;
  readonly tokens: Tokens;
  readonly ends: SessionEnds;
  readonly log: Log;
  /** Maximum number of sessions per user. `SessionRegistry.open` describes which one is ended beyond it. */
  readonly maxPerUser: number;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** Maximum number of sessions to look up in one statement. */
const AT_ONCE = 500;
/** The minimum time between two writes of the last use, in milliseconds. */
const USE_MS = 300_000;

export function createSessions(dependencies: SessionDependencies) {
  const { registry, tokens, ends, log, maxPerUser, now = Date.now, newId = randomUUID } = dependencies;
  /** Ids of the sessions whose last use is being written. */
  const marking = new Set<string>();

  /** Records the use without delaying the request. After a failed write, the next use tries again. */
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
    /** Lifetime of a session in seconds. */
    lifeSeconds: tokens.lifeSeconds,
    /** Opens a session with a new id for a user who has just entered the password. */
    async open(user: UserRecord, { clientIp, userAgent }: Client) {
      const sessionId = newId();
      const at = now();
      const times = { createdAt: at, lastUsedAt: at, confirmedAt: at };
      const expiresAt = at + tokens.lifeSeconds * 1000;
      const device = deviceName(userAgent);
      await registry.open({ sessionId, userId: user.id, ...times, expiresAt, device, clientIp }, maxPerUser);
      return await tokens.issue({ userId: user.id, version: user.tokenVersion, sessionId });
    },
    /**
     * Returns the user and session of the token. Throws `not_authenticated` without a token, `token_invalid`
     * for a forged or ended one, `token_expired`, and `user_not_found` when the account is gone
     * (docs/contract/authentication.md#who-is-asking).
     */
    async authenticate(token: string | undefined) {
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
    /** Returns the tokens that `authenticate` would refuse. */
    async ended(given: readonly string[]): Promise<readonly string[]> {
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
    /** Records that the user has just entered the password. */
    confirm: (sessionId: string) => registry.confirm(sessionId, now()),
    /** Ends a session of the user; `own` is the user's repository. Throws `not_found`. */
    async end(own: SessionRepository, user: UserRecord, { sessionId, clientIp }: EndedSession) {
      if (!(await own.end(sessionId, clientIp))) throw notFound('Session');
      ends.announce(user.id);
    },
    /** Ends all sessions of the user except this one. Returns the number of ended sessions. */
    async endOthers(own: SessionRepository, user: UserRecord, { sessionId, clientIp }: EndedSession) {
      const ended = await own.endOthers(sessionId, clientIp);
      ends.announce(user.id);
      return ended;
    },
    /** Ends a session without a row in the audit log, which `SignOut` writes. */
    async signOut(user: UserRecord, sessionId: string): Promise<void> {
      await registry.end(sessionId);
      ends.announce(user.id);
    },
  };
}

/** Notifies listeners in this process immediately when sessions of a user have ended. */
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
