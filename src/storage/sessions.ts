// Sessions as stored: one row per sign-in. A session without a row is signed out.
import type { UserRecord } from './users.ts';

export interface SessionRecord {
  readonly sessionId: string;
  readonly userId: string;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  /** Accurate to a few minutes. */
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** When the password was last entered. */
  readonly confirmedAt: number;
  /** In plain words, such as `Firefox on Linux`. */
  readonly device: string;
  /** The address from which it was opened. */
  readonly clientIp: string;
}

/**
 * The sessions of one owner. The audit log records each call that ends sessions, with the client's address.
 */
export interface SessionRepository {
  /** Returns sessions that have not expired at `now`, the most recently used first. */
  list(now: number): Promise<readonly SessionRecord[]>;
  /** Ends the session, whose token is not accepted afterwards. Returns whether there was such a session. */
  end(sessionId: string, clientIp?: string): Promise<boolean>;
  /** Ends all sessions but this one. Returns the number of ended sessions. */
  endOthers(sessionId: string, clientIp?: string): Promise<number>;
}

/** Lookups for requests whose owner is not known yet. */
export interface SessionRegistry {
  /**
   * Adds the session and removes the user's expired ones. Beyond `most`, ends sessions that were never used
   * after they were opened, oldest first, then the least recently used. The audit log records how many.
   */
  open(session: SessionRecord, most: number): Promise<void>;
  /**
   * Returns the account, and the session unless it was ended, in one statement; `undefined` without such an
   * account.
   */
  find(
    userId: string,
    sessionId: string,
  ): Promise<
    | {
        readonly user: UserRecord;
        readonly session: Pick<SessionRecord, 'lastUsedAt' | 'confirmedAt'> | undefined;
      }
    | undefined
  >;
  /** Returns the account's `tokenVersion` by session id, for those of these sessions that were not ended. */
  live(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Sets the time of last use, never to an earlier one. */
  markUsed(sessionId: string, at: number): Promise<void>;
  /** Records that the password was entered at that time. */
  confirm(sessionId: string, at: number): Promise<void>;
  /** Ends the session without an entry in the audit log. Returns whether there was such a session. */
  end(sessionId: string): Promise<boolean>;
}
