// Accounts as they are stored.
import type { NewAuditEntry } from './audit-log.ts';

export type SystemRole = 'admin' | 'user';

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly systemRole: SystemRole;
  readonly needsSetup: boolean;
  /** Raised by everything that must end the user's sessions; a token with another version is revoked. */
  readonly tokenVersion: number;
  readonly oauthProvider: string | null;
  readonly oauthId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export type UserPatch = Partial<
  Pick<UserRecord, 'email' | 'passwordHash' | 'systemRole' | 'needsSetup' | 'tokenVersion'>
>;

/** Accounts are not owner-bound: signing in happens before there is an owner. */
export interface UserRepository {
  /** The same accounts: a change that is made through this appends the entry to the audit log, both or neither. */
  audited(entry: NewAuditEntry): UserRepository;
  /** `'email_taken'` when an account with this e-mail exists, upper and lower case being the same. */
  insert(user: UserRecord): Promise<'inserted' | 'email_taken'>;
  /** Inserts only if no user (`'no_user'`) or no administrator (`'no_admin'`) exists; atomic between processes. */
  insertFirst(user: UserRecord, when: 'no_user' | 'no_admin'): Promise<boolean>;
  get(id: string): Promise<UserRecord | undefined>;
  findByEmail(email: string): Promise<UserRecord | undefined>;
  findFirstAdmin(): Promise<UserRecord | undefined>;
  /**
   * Applies the patch only while `tokenVersion` still is `expectedTokenVersion`, so that of two changes racing
   * on one account the second fails: `'stale'`. `'email_taken'` as in `insert`. Another `tokenVersion` removes the
   * sessions.
   */
  update(
    id: string,
    expectedTokenVersion: number,
    patch: UserPatch,
  ): Promise<UserRecord | 'email_taken' | 'stale'>;
}
