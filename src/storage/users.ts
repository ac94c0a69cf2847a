// Accounts as they are stored, and the notes that their deletions leave.
import type { NewAuditEntry } from './audit-log.ts';
import type { ThreadRecord } from './threads.ts';

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

/** A removal that somebody has taken on until `takenUntil` (epoch milliseconds). */
export interface AccountRemoval {
  readonly userId: string;
  readonly takenUntil: number;
}

/** Accounts of whose deletion something may be left. Of all owners, for the service itself. */
export interface AccountRemovals {
  /**
   * The account is gone, and with it every sign-in; the note stays; the audit log has it, with whoever asked for it
   * (`null`: the operator). `'last_admin'`: nobody would administer the service. `'stale'`: the account was changed
   * meanwhile.
   */
  begin(
    user: Pick<UserRecord, 'id' | 'tokenVersion'>,
    removal: {
      readonly now: number;
      readonly takenUntil: number;
      readonly actor: string | null;
      readonly clientIp: string | null;
    },
  ): Promise<AccountRemoval | 'last_admin' | 'stale'>;
  /**
   * Takes up to `limit` removals whose claims have expired by `now`, and holds them until `takenUntil`; oldest first.
   */
  take(claim: {
    readonly now: number;
    readonly takenUntil: number;
    readonly limit: number;
  }): Promise<readonly AccountRemoval[]>;
  /** Threads of the account that are still there, those of stateless runs included. */
  threads(userId: string, limit: number): Promise<readonly ThreadRecord[]>;
  /** Removes what hangs on no thread: keys, usage, idempotency keys, feedback, items of the store, switches of skills, agents; imports under way are given up. */
  clear(userId: string): Promise<void>;
  /**
   * Nothing is left to remove. Deletes the note if the account was deleted before `deletedBefore`; otherwise the
   * removal is checked again later, for writes of requests that had begun before. Does nothing when another process has
   * claimed it since.
   */
  done(removal: AccountRemoval, deletedBefore: number): Promise<void>;
}
