// Sessions as they are stored: one row for each sign-in. What the row is missing for is signed out.
import type { UserRecord } from './users.ts';

export interface SessionRecord {
  readonly sessionId: string;
  readonly userId: string;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  /** To within a few minutes. */
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** When the password was given last. */
  readonly confirmedAt: number;
  /** In plain words, such as `Firefox on Linux`. */
  readonly device: string;
  /** Where it was opened from. */
  readonly clientIp: string;
}

/** The sessions of one owner. Ending some is in the audit log, with the address that it came from. */
export interface SessionRepository {
  /** Those that have not expired at `now`, the one used last first. */
  list(now: number): Promise<readonly SessionRecord[]>;
  /** Whether there was such a session; from then on its token opens nothing. */
  end(sessionId: string, clientIp?: string): Promise<boolean>;
  /** Ends all but this one; how many there were. */
  endOthers(sessionId: string, clientIp?: string): Promise<number>;
}

/** What the service asks before it knows whose request it is. */
export interface SessionRegistry {
  /**
   * Removes what has expired of the user's. Beyond `most`, those end that were never used after they were opened, the
   * oldest first, then those used longest ago; the audit log says how many.
   */
  open(session: SessionRecord, most: number): Promise<void>;
  /** The account, and the session when it has not been ended, in one statement; `undefined` without such an account. */
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
  /** Of these sessions, those that have not been ended, by id: the `tokenVersion` of the account. */
  live(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Never moves the time back. */
  markUsed(sessionId: string, at: number): Promise<void>;
  /** The password was given at that time. */
  confirm(sessionId: string, at: number): Promise<void>;
  /** Whether there was such a session. The audit log is not told. */
  end(sessionId: string): Promise<boolean>;
}
