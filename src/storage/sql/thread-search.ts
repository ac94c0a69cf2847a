// Search and count over the threads that an owner sees.
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type Owner, UNSCOPED } from '../storage.ts';
import type { ThreadFilter, ThreadQuery, ThreadRecord } from '../threads.ts';
import type { Connection } from './database.ts';
import type { ThreadsTable } from './tables.ts';
import { entryHashes } from './thread-metadata.ts';
import { toThread } from './thread-rows.ts';

/** A metadata entry on fewer threads than this is the quickest way to them. */
const RARE = 2000;

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
  const start = await rarestEntry(db, query);
  const walks = visibleParts(owner).map((part) => {
    const walk = matching(db, { part, start, filter: query })
      .select(['threads.thread_id', `threads.${sortBy} as sort_key`])
      .orderBy(`threads.${sortBy}`, sortOrder)
      .orderBy('threads.thread_id', sortOrder)
      .limit(query.limit + query.offset);
    return sql`select * from ${walk.as('walk')}`;
  });
  const direction = sql.raw(sortOrder);
  const page = sql<Selectable<ThreadsTable>>`
    select threads.* from (
      ${sql.join(walks, sql` union all `)}
      order by sort_key ${direction}, thread_id ${direction} limit ${query.limit} offset ${query.offset}
    ) as page join threads on threads.thread_id = page.thread_id
    order by page.sort_key ${direction}, page.thread_id ${direction}`;
  return (await page.execute(db)).rows.map(toThread);
}

export async function countThreads(db: Connection, owner: Owner, filter: ThreadFilter): Promise<number> {
  const start = await rarestEntry(db, filter);
  let total = 0;
  for (const part of visibleParts(owner)) {
    const query = matching(db, { part, start, filter });
    const row = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirst();
    total += row?.total ?? 0;
  }
  return total;
}

/** Disjoint conditions that together are what `readableBy` admits. */
function visibleParts(owner: Owner): readonly RawBuilder<SqlBool>[] {
  if (owner === UNSCOPED) return [sql<SqlBool>`1 = 1`];
  return [sql<SqlBool>`threads.user_id = ${owner}`, sql<SqlBool>`threads.user_id is null`];
}

/** The hash of an entry that few threads have, if the filter asks for one. */
async function rarestEntry(db: Connection, filter: ThreadFilter): Promise<string | undefined> {
  let rarest: string | undefined;
  let fewest = RARE;
  for (const hash of entryHashes(filter.metadata ?? {})) {
    const some = db.selectFrom('thread_metadata').select('thread_id').where('entry_hash', '=', hash);
    const counted = db
      .selectFrom(some.limit(RARE).as('some'))
      .select((eb) => eb.fn.countAll<number>().as('n'));
    const n = (await counted.executeTakeFirst())?.n ?? 0;
    if (n < fewest) {
      fewest = n;
      rarest = hash;
    }
  }
  return rarest;
}

function matching(
  db: Connection,
  search: {
    readonly part: RawBuilder<SqlBool>;
    /** The entry to come from; without one, threads are walked in their order. */
    readonly start: string | undefined;
    readonly filter: ThreadFilter;
  },
) {
  const { part, start, filter } = search;
  let query = (start === undefined ? db.selectFrom('threads') : threadsWith(db, start)).where(part);
  if (filter.status !== undefined) query = query.where('threads.status', '=', filter.status);
  if (filter.ids !== undefined) query = query.where(isOneOf(filter.ids));
  for (const hash of entryHashes(filter.metadata ?? {})) {
    if (hash !== start) query = query.where(hasEntry(hash));
  }
  return query;
}

/** A cross join, because SQLite keeps its order: first the few entries, then their threads. */
function threadsWith(db: Connection, hash: string) {
  const few = db.selectFrom('thread_metadata').select('thread_id as id').where('entry_hash', '=', hash);
  return db
    .selectFrom(few.as('few'))
    .crossJoin('threads')
    .whereRef('threads.thread_id', '=', 'few.id')
    .$castTo<unknown>();
}

function hasEntry(hash: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select 1 from thread_metadata where thread_metadata.thread_id = threads.thread_id and entry_hash = ${hash}
  )`;
}

function isOneOf(ids: readonly string[]): RawBuilder<SqlBool> {
  return ids.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`threads.thread_id in (${sql.join(ids)})`;
}
