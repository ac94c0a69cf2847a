// Search and count over the threads that an owner sees.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Owner, UNSCOPED } from '../storage.ts';
import type { ThreadFilter, ThreadQuery, ThreadRecord } from '../threads.ts';
import type { Connection } from './database.ts';
import { entryHashes } from './thread-metadata.ts';
import { toThread } from './thread-rows.ts';

/**
 * The page in its order. Own and shared threads are two walks along an index, merged: `a = ? or a is null` would
 * have to sort everything the owner has.
 */
export async function searchThreads(
  db: Connection,
  owner: Owner,
  query: ThreadQuery,
): Promise<readonly ThreadRecord[]> {
  const { sortBy, sortOrder } = query;
  const reach = query.limit + query.offset;
  const walks = visibleParts(owner).map((part) => {
    const keys = matching(db, part, query).select(['threads.thread_id', `threads.${sortBy} as sort_key`]);
    const walk = keys
      .orderBy(`threads.${sortBy}`, sortOrder)
      .orderBy('threads.thread_id', sortOrder)
      .limit(reach);
    return sql`select * from ${walk.as('walk')}`;
  });
  const direction = sql.raw(sortOrder);
  const page = sql<{ thread_id: string }>`${sql.join(walks, sql` union all `)}
    order by sort_key ${direction}, thread_id ${direction} limit ${query.limit} offset ${query.offset}`;
  const ids = (await page.execute(db)).rows.map((row) => row.thread_id);
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('threads').selectAll().where('thread_id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.thread_id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [toThread(row)];
  });
}

export async function countThreads(db: Connection, owner: Owner, filter: ThreadFilter): Promise<number> {
  let total = 0;
  for (const part of visibleParts(owner)) {
    const query = matching(db, part, filter).select((eb) => eb.fn.countAll<number>().as('total'));
    total += Number((await query.executeTakeFirstOrThrow()).total);
  }
  return total;
}

/** Disjoint conditions that together are what `readableBy` admits. */
function visibleParts(owner: Owner): readonly RawBuilder<SqlBool>[] {
  if (owner === UNSCOPED) return [sql<SqlBool>`1 = 1`];
  return [sql<SqlBool>`threads.user_id = ${owner}`, sql<SqlBool>`threads.user_id is null`];
}

function matching(db: Connection, part: RawBuilder<SqlBool>, filter: ThreadFilter) {
  let query = db.selectFrom('threads').where(part);
  if (filter.status !== undefined) query = query.where('threads.status', '=', filter.status);
  if (filter.ids !== undefined) {
    query =
      filter.ids.length === 0
        ? query.where(sql<SqlBool>`1 = 0`)
        : query.where('threads.thread_id', 'in', filter.ids);
  }
  for (const hash of entryHashes(filter.metadata ?? {})) {
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('thread_metadata')
          .select('thread_metadata.thread_id')
          .whereRef('thread_metadata.thread_id', '=', 'threads.thread_id')
          .where('thread_metadata.entry_hash', '=', hash),
      ),
    );
  }
  return query;
}
