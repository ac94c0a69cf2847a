// Keeps the order of a thread's runs when the clock contradicts it: where the numbers of a run begin, and
// when it ended.
import { type RawBuilder, sql } from 'kysely';
import type { WriteTransaction } from '../database/database.ts';

/**
 * Milliseconds for the numbers of one run. Each is worth thousands of numbers, so that no run needs more,
 * whatever its epochs skip.
 */
const PLACE_OF_A_RUN_MS = 100_000;

/**
 * Returns where the numbers of a row of `runs` begin that starts now, the `place`th of its thread in this
 * statement: at the current time, or after the numbers of the last run if those end later.
 */
export function numbersFrom(
  now: number | RawBuilder<number>,
  place: RawBuilder<number> = sql`1`,
): RawBuilder<number> {
  return sql<number>`(
    select case when following > ${now} then following else ${now} end from (
      select coalesce(max(earlier.numbers_from), 0) + ${place} * ${sql.lit(PLACE_OF_A_RUN_MS)} as following
      from runs as earlier where earlier.thread_id = runs.thread_id and earlier.numbers_from is not null
    ) as line
  )`;
}

/**
 * Returns `numbersFrom` for a run that starts at `now` on a thread whose highest value is `last`, 0 without
 * any.
 */
export function numbersAfter(last: number, now: number): number {
  return Math.max(now, last + PLACE_OF_A_RUN_MS);
}

/**
 * Numbers all runs of the thread, which have ended, in the order in which they started, each after the one
 * before.
 */
export async function numberEndedRuns(trx: WriteTransaction, threadId: string): Promise<void> {
  await sql`
    update runs set numbers_from = placed.numbers_from
    from (
      select run_id, place * ${PLACE_OF_A_RUN_MS}
        + max(begun - place * ${PLACE_OF_A_RUN_MS}) over (order by place) as numbers_from
      from (
        select run_id, coalesce(started_at, finished_at, created_at) as begun, row_number() over (
          order by coalesce(started_at, finished_at, created_at), created_at, run_id
        ) as place
        from runs where thread_id = ${threadId}
      ) as line
    ) as placed
    where runs.run_id = placed.run_id`.execute(trx);
}

/**
 * Returns the end of a row of `runs` that ends at `now`: that time, or a later one, after the ends of the
 * thread's earlier runs, and after the admission and end of later ones. Of the earlier runs, only the nearest
 * that has ended is read, because it ended after all others.
 */
export function endedAt(now: RawBuilder<number>): RawBuilder<number> {
  return sql<number>`(
    select case when latest >= ${now} then latest + 1 else ${now} end from (
      select max(moment) as latest from (
        select case when later.finished_at > later.created_at then later.finished_at else later.created_at end as moment
        from runs as later where later.thread_id = runs.thread_id and later.created_at >= runs.created_at
        union all
        select finished_at as moment from (
          select earlier.finished_at from runs as earlier
          where earlier.thread_id = runs.thread_id and earlier.created_at < runs.created_at
            and earlier.finished_at is not null
          order by earlier.created_at desc, earlier.run_id desc limit 1
        ) as before
      ) as moments
    ) as line
  )`;
}
