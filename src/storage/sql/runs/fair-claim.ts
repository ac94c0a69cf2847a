// Chooses which startable runs are claimed, so that users take turns and none gets more than its share.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RunShares } from '../../run-leases.ts';
import { UNSCOPED } from '../../storage.ts';
import type { WriteTransaction } from '../database/database.ts';
import type { Claimable, ClaimStatements } from './claim-statements.ts';

/** The runs that are chosen for one claim. */
export class ClaimedRuns {
  readonly newIds = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #limit: number;
  readonly #shares: RunShares | undefined;
  readonly #taken = new Map<string | null, number>();

  constructor(limit: number, shares: RunShares | undefined) {
    this.#limit = limit;
    this.#shares = shares;
  }

  /** The ids, in the order in which the runs were taken. */
  get ids(): readonly string[] {
    return [...this.#ids];
  }

  get left(): number {
    return this.#limit - this.#ids.size;
  }

  takenOf(userId: string | null): number {
    return this.#taken.get(userId) ?? 0;
  }

  /** Returns how many runs of the user this claim may still take. */
  freePlacesOf(userId: string | null): number {
    if (this.#shares === undefined) return this.left;
    const { perUser, running } = this.#shares;
    const remaining = perUser - (running.get(userId) ?? 0) - this.takenOf(userId);
    return Math.max(0, Math.min(remaining, this.left));
  }

  /** Takes runs while places are free, at most `most`. Returns the number of runs that it took. */
  take(found: readonly Claimable[], most = found.length): number {
    const before = this.#ids.size;
    for (const { run_id, user_id, is_cancelled, is_new } of found) {
      if (this.left <= 0 || this.#ids.size - before >= most) break;
      if (this.#ids.has(run_id) || (!is_cancelled && this.freePlacesOf(user_id) === 0)) continue;
      this.#ids.add(run_id);
      if (is_new) this.newIds.add(run_id);
      this.#taken.set(user_id, this.takenOf(user_id) + 1);
    }
    return this.#ids.size - before;
  }
}

/** Returns a condition for runs of users with a free place, and for runs that only have to be ended. */
export function ofUsersWithFreePlaces(shares: RunShares | undefined): RawBuilder<SqlBool> {
  const full = shares === undefined ? [] : fullUsers(shares);
  if (full.length === 0) return sql<SqlBool>`1 = 1`;
  return sql<SqlBool>`(user_id is null or user_id not in (${sql.join(full)}) or cancel_stop_reason is not null)`;
}

function fullUsers({ perUser, running }: RunShares): readonly string[] {
  return [...running].flatMap(([userId, runs]) => (userId === null || runs < perUser ? [] : [userId]));
}

interface Claiming {
  readonly trx: WriteTransaction;
  readonly statements: ClaimStatements;
}

interface Turns {
  readonly shares: RunShares;
  /** Runs with at least this many attempts are omitted. */
  readonly fromAttempt: number;
}

/**
 * Takes runs that only have to be ended, then the fair share of each user with startable runs, in turns. What
 * one user does not need goes to the others. However many runs of a user wait, the index is entered once for
 * each that is taken.
 */
export async function takeInTurns(
  claiming: Claiming,
  taken: ClaimedRuns,
  { shares, fromAttempt }: Turns,
): Promise<void> {
  const { trx, statements } = claiming;
  if (taken.left > 0) taken.take(await statements.findCancelled(trx, { limit: taken.left }));
  let users = await usersInTurn(claiming, shares, taken.left);
  while (taken.left > 0 && users.length > 0) {
    const withMore: (string | null)[] = [];
    for (const [index, userId] of users.entries()) {
      const fair = Math.ceil(taken.left / (users.length - index));
      const most = Math.min(fair, taken.freePlacesOf(userId));
      if (most === 0) continue;
      // The statement returns runs that were taken already, too.
      const asked = { userId: userId ?? UNSCOPED, fromAttempt, limit: taken.takenOf(userId) + most };
      if (taken.take(await statements.findOfUser(trx, asked), most) === most) withMore.push(userId);
    }
    users = withMore;
  }
}

/**
 * Returns at most `most` users with a startable run, in the order of their turns. `null`, for runs without a
 * user, comes before them.
 */
async function usersInTurn(
  { trx, statements }: Claiming,
  shares: RunShares,
  most: number,
): Promise<readonly (string | null)[]> {
  if (most <= 0) return [];
  const full = new Set(fullUsers(shares));
  const from = async (after: string) => {
    const users = await statements.findUsers(trx, { after, limit: most + full.size });
    return users.map((row) => row.user_id).filter((userId) => !full.has(userId));
  };
  const behind = await from(shares.after);
  if (behind.length >= most || shares.after === '') return [null, ...behind.slice(0, most)];
  const before = (await from('')).filter((userId) => userId <= shares.after);
  return [null, ...[...behind, ...before].slice(0, most)];
}
