// Which of the runs that may start are taken, so that users take turns and none gets more than its share.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RunShares } from '../run-leases.ts';
import type { WriteTransaction } from './database.ts';

export interface Claimable {
  readonly run_id: string;
  readonly user_id: string | null;
  /** It is only to be ended, which takes no place for long. */
  readonly is_cancelled: number | boolean;
}

/** Runs that are chosen for one claim. */
export class ClaimedRuns {
  readonly ids: string[] = [];
  readonly #limit: number;
  readonly #shares: RunShares | undefined;
  readonly #taken = new Map<string | null, number>();

  constructor(limit: number, shares: RunShares | undefined) {
    this.#limit = limit;
    this.#shares = shares;
  }

  get left(): number {
    return this.#limit - this.ids.length;
  }

  /** What this claim may still take of the user. */
  roomOf(userId: string | null): number {
    if (this.#shares === undefined) return this.left;
    const { perUser, running } = this.#shares;
    const room = perUser - (running.get(userId) ?? 0) - (this.#taken.get(userId) ?? 0);
    return Math.max(0, Math.min(room, this.left));
  }

  /** Takes what there is room for; how many it took. */
  take(found: readonly Claimable[]): number {
    const before = this.ids.length;
    for (const { run_id, user_id, is_cancelled } of found) {
      if (this.left <= 0 || (!is_cancelled && this.roomOf(user_id) === 0)) continue;
      this.ids.push(run_id);
      this.#taken.set(user_id, (this.#taken.get(user_id) ?? 0) + 1);
    }
    return this.ids.length - before;
  }
}

/** Runs of users that have room for another, and runs that are only to be ended. */
export function ofUsersWithRoom(shares: RunShares | undefined): RawBuilder<SqlBool> {
  if (shares === undefined) return sql<SqlBool>`1 = 1`;
  const full = [...shares.running].flatMap(([userId, runs]) =>
    userId === null || runs < shares.perUser ? [] : [userId],
  );
  if (full.length === 0) return sql<SqlBool>`1 = 1`;
  return sql<SqlBool>`(user_id is null or user_id not in (${sql.join(full)}) or cancel_stop_reason is not null)`;
}

/**
 * Users with a run that may be taken, in the order of their turns, at most so many; before them `null`, for runs that are
 * nobody's. The index of waiting runs is entered once for each of them, however many runs a user has waiting.
 */
export async function usersInTurn(
  trx: WriteTransaction,
  claimable: RawBuilder<SqlBool>,
  { after, most }: { readonly after: string; readonly most: number },
): Promise<readonly (string | null)[]> {
  const behind = await usersFrom(trx, sql<SqlBool>`${claimable} and user_id > ${after}`, most);
  const before = sql<SqlBool>`${claimable} and user_id <= ${after}`;
  const first = behind.length < most ? await usersFrom(trx, before, most - behind.length) : [];
  return [null, ...behind, ...first];
}

async function usersFrom(
  trx: WriteTransaction,
  claimable: RawBuilder<SqlBool>,
  most: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ user_id: string }>`
    with recursive turns (user_id) as (
      select * from (select user_id from runs where ${claimable} order by user_id limit 1) as first
      union all
      select (
        select user_id from runs where ${claimable} and user_id > turns.user_id order by user_id limit 1
      ) from turns where turns.user_id is not null
    )
    select user_id from turns where user_id is not null limit ${most}
  `.execute(trx);
  return rows.map((row) => row.user_id);
}
