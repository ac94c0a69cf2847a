// Accounts that are deleted and of which something may be left: the note for whoever finishes it.
import type { ThreadRecord } from './threads.ts';
import type { UserRecord } from './users.ts';

/** A removal that somebody has taken on until `takenUntil` (epoch milliseconds). */
export interface AccountRemoval {
  readonly userId: string;
  readonly takenUntil: number;
}

/** Of all owners, for the service itself. */
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
  /** Takes up to `limit` removals on until `takenUntil` that nobody has taken on beyond `now`, oldest first. */
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
   * Nothing is left. The note goes when the account was deleted before `deletedBefore`; else somebody looks again then,
   * for what a request wrote that had begun before. Does nothing when somebody else has taken it on since.
   */
  done(removal: AccountRemoval, deletedBefore: number): Promise<void>;
}
