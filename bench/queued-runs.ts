// Runs that wait, written past the service: tens of thousands of them would take it minutes to admit.
import { sql } from 'kysely';
import { openDatabase } from '../src/storage/sql/database/open-database.ts';
import { QUIET_LOG } from '../test/support/quiet-log.ts';

interface QueuedRuns {
  readonly userId: string;
  readonly runs: number;
  /** SQL over the number `n` of each run. */
  readonly threadId: string;
}

/** The first run of each thread is the first in its queue. */
export async function fillQueue(url: string, { userId, runs, threadId }: QueuedRuns): Promise<void> {
  const database = await openDatabase(url, QUIET_LOG);
  const id = sql.raw(threadId);
  await database.writePatiently(async (trx) => {
    const numbers = sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${runs})`;
    await sql`${numbers} insert into threads (thread_id, user_id, status, created_at, updated_at, metadata)
      select distinct ${id}, ${userId}, 'busy', 1, 1, '{}' from numbers where true on conflict do nothing`.execute(
      trx,
    );
    await sql`${numbers} insert into runs (run_id, thread_id, user_id, assistant_id, status, attempt, multitask_strategy,
        created_at, updated_at, token_usage_by_model, metadata, kwargs, frames_pruned, is_first)
      select ${id} || '-' || n, ${id}, ${userId}, 'lead_agent', 'pending', 0, 'enqueue', n, n, '{}', '{}', '{}', 0,
        case when row_number() over (partition by ${id} order by n) = 1 then 1 else 0 end
      from numbers`.execute(trx);
  });
  if (database.name === 'postgres') await database.read((db) => sql`analyze runs`.execute(db));
  await database.close();
}

/** Takes the threads of a user away with their runs. */
export async function emptyQueue(url: string, userId: string): Promise<void> {
  const database = await openDatabase(url, QUIET_LOG);
  await database.writePatiently(async (trx) => {
    await sql`delete from runs where user_id = ${userId} and kwargs = '{}'`.execute(trx);
    await sql`delete from threads where user_id = ${userId} and updated_at = 1`.execute(trx);
  });
  await database.close();
}
