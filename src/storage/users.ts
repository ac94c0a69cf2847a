// Accounts as stored, and the notes that their deletions leave.
import type { NewAuditEntry } from './audit-log.ts';
import type { ThreadRecord } from './threads.ts';

export type SystemRole = 'admin' | 'user';

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly systemRole: SystemRole;
  readonly needsSetup: boolean;
  /** Raised by everything that must end the user's sessions. A token with another version is revoked. */
  readonly tokenVersion: number;
  readonly oauthProvider: string | null;
  readonly oauthId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export type UserPatch = Partial<
  Pick<UserRecord, 'email' | 'passwordHash' | 'systemRole' | 'needsSetup' | 'tokenVersion'>
>;

/** Accounts. Not bound to an owner, because sign-in happens before there is one. */
export interface UserRepository {
  /** Returns a repository that appends the entry to the audit log with each change, both or neither. */
  audited(entry: NewAuditEntry): UserRepository;
  /** Inserts the account. `'email_taken'`: an account with this e-mail exists, ignoring case. */
  insert(user: UserRecord): Promise<'inserted' | 'email_taken'>;
  /**
   * Inserts the account only if no user (`'no_user'`) or no administrator (`'no_admin'`) exists. Atomic
   * across processes.
   */
  insertFirst(user: UserRecord, when: 'no_user' | 'no_admin'): Promise<boolean>;
  get(id: string): Promise<UserRecord | undefined>;
  findByEmail(email: string): Promise<UserRecord | undefined>;
  findFirstAdmin(): Promise<UserRecord | undefined>;
  /**
   * Applies the patch only while `tokenVersion` is `expectedTokenVersion`, so that of two racing changes to
   * one account the second fails with `'stale'`. `'email_taken'` as in `insert`. A patch with a
   * `tokenVersion` ends the sessions.
   */
  update(
    id: string,
    expectedTokenVersion: number,
    patch: UserPatch,
  ): Promise<UserRecord | 'email_taken' | 'stale'>;
}

/** A removal that is claimed until `takenUntil` (epoch milliseconds). */
export interface AccountRemoval {
  readonly userId: string;
  readonly takenUntil: number;
}

/** Deleted accounts of which data may remain. Of all owners, for the service itself. */
export interface AccountRemovals {
  /**
   * Deletes the account and all its sessions and leaves a note. The audit log records it, with the actor
   * (`null`: the operator). `'last_admin'`: no administrator would remain. `'stale'`: the account has changed
   * since it was read.
   */
  begin(
    user: Pick<UserRecord, 'id' | 'tokenVersion'>,
    removal: Pick<NewAuditEntry, 'actor' | 'clientIp'> & {
      readonly now: number;
      readonly takenUntil: number;
    },
  ): Promise<AccountRemoval | 'last_admin' | 'stale'>;
  /** Claims up to `limit` removals whose claims expired by `now`, until `takenUntil`, oldest first. */
  take(claim: {
    readonly now: number;
    readonly takenUntil: number;
    readonly limit: number;
  }): Promise<readonly AccountRemoval[]>;
  /** Returns remaining threads of the account, including those of stateless runs. */
  threads(userId: string, limit: number): Promise<readonly ThreadRecord[]>;
  /**
   * Removes the account's rows that belong to no thread: API keys, sessions, usage, idempotency keys,
   * feedback, store items, switches and claims of skills, agents, memories, schedules and background tasks.
   * Abandons its imports in progress.
   */
  clear(userId: string): Promise<void>;
  /**
   * Ends a removal that has nothing left to remove. Deletes the note if the account was deleted by
   * `deletedBefore`. Otherwise the removal is checked again later, for writes of requests that had begun
   * before. Does nothing when another process has claimed it since.
   */
  done(removal: AccountRemoval, deletedBefore: number): Promise<void>;
}
