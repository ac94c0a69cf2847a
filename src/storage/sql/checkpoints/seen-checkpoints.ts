// The checkpoints that a thread sees: its own and, if it is a copy, the one at which it was copied with all
// its ancestors.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CheckpointQuery } from '../../checkpoints.ts';
import type { Owner } from '../../storage.ts';
import type { Connection } from '../database/database.ts';
import { readableBy } from '../database/owner-filter.ts';
import { CHECKPOINT_FACTS, type CheckpointFactsRow } from './checkpoint-rows.ts';

/** A thread and the owner who reads it. */
export interface AskedThread {
  readonly owner: Owner;
  readonly threadId: string;
}

/** A condition on a row of `checkpoints`: it is the thread's own. The cheap condition, tried first. */
export function isOwn({ owner, threadId }: AskedThread): RawBuilder<SqlBool> {
  return sql<SqlBool>`checkpoints.thread_id = ${threadId} and exists (
    select 1 from threads where threads.thread_id = ${threadId} and ${readableBy(owner, 'threads.user_id')}
  )`;
}

/**
 * A condition on a row of `checkpoints`: it is in the lineage that ends where the thread was copied. A value
 * instead of `exists`, because Postgres then walks the lineage no further than to the row.
 */
export function isInherited(thread: AskedThread): RawBuilder<SqlBool> {
  return sql<SqlBool>`1 = (
    with recursive ${lineageBefore(thread)}
    select 1 from line where line.checkpoint_id = checkpoints.checkpoint_id limit 1
  )`;
}

/**
 * Returns whether the thread began as a copy of another one's state; `undefined` when the owner does not see
 * it.
 */
export async function isCopy(db: Connection, { owner, threadId }: AskedThread): Promise<boolean | undefined> {
  const thread = await db
    .selectFrom('threads')
    .select('copied_from_checkpoint_id')
    .where('thread_id', '=', threadId)
    .where(readableBy(owner, 'user_id'))
    .executeTakeFirst();
  return thread && thread.copied_from_checkpoint_id !== null;
}

/** Returns the checkpoints that a copy sees, newest first. */
export async function listSeenByCopy(
  db: Connection,
  thread: AskedThread,
  { limit, before, ids, namespace = '' }: CheckpointQuery,
): Promise<readonly CheckpointFactsRow[]> {
  const older =
    before === undefined
      ? sql<SqlBool>`1 = 1`
      : sql<SqlBool>`(created_at, step, checkpoint_id) < (
          select created_at, step, checkpoint_id from seen where checkpoint_id = ${before}
        )`;
  const asked = ids === undefined ? sql<SqlBool>`1 = 1` : isOneOf('checkpoint_id', ids);
  const facts = sql.join(CHECKPOINT_FACTS.map((column) => sql.ref(`checkpoints.${column}`)));
  const { rows } = await sql<CheckpointFactsRow>`
    with recursive ${lineageBefore(thread)}, seen (checkpoint_id, created_at, step) as (
      select checkpoint_id, created_at, step from checkpoints
      where thread_id = ${thread.threadId} and namespace = ${namespace}
      union
      select checkpoint_id, created_at, step from line where ${namespace} = ''
    )
    select ${facts} from (
      select checkpoint_id from seen where ${older} and ${asked}
      order by created_at desc, step desc, checkpoint_id desc limit ${limit}
    ) as page join checkpoints on checkpoints.checkpoint_id = page.checkpoint_id
    order by checkpoints.created_at desc, checkpoints.step desc, checkpoints.checkpoint_id desc`.execute(db);
  return rows;
}

export function isOneOf(column: string, ids: readonly string[]): RawBuilder<SqlBool> {
  return ids.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(column)} in (${sql.join(ids)})`;
}

/**
 * Returns the table expression `line`; empty for a thread that is not a copy, or that the owner does not see.
 */
export function lineageBefore({ owner, threadId }: AskedThread): RawBuilder<unknown> {
  return sql`line (checkpoint_id, parent_id, created_at, step) as (
    select last.checkpoint_id, last.parent_id, last.created_at, last.step
    from threads join checkpoints as last on last.checkpoint_id = threads.copied_from_checkpoint_id
    where threads.thread_id = ${threadId} and ${readableBy(owner, 'threads.user_id')}
    union all
    select parent.checkpoint_id, parent.parent_id, parent.created_at, parent.step
    from line join checkpoints as parent on parent.checkpoint_id = line.parent_id
  )`;
}
