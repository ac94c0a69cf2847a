// Search and count over the threads that an owner sees.
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type Owner, UNSCOPED } from '../../storage.ts';
import type { ThreadFilter, ThreadQuery, ThreadRecord } from '../../threads.ts';
import { isOneOf } from '../checkpoints/seen-checkpoints.ts';
import type { Connection } from '../database/database.ts';
import { isListed, isOwned } from '../database/owner-filter.ts';
import { pageOf } from '../database/page-of.ts';
import { isAny } from '../database/results.ts';
import type { ThreadsTable } from '../database/tables.ts';
import { entryHashes } from '../search/thread-metadata.ts';
import { toThread } from './thread-rows.ts';

/** A metadata entry on fewer threads than this is the quickest way to them. */
const RARE = 10_000;

/**
 * The page in its order. Own and shared threads are two walks along an index, merged: `a = ? or a is null` would
 * have to sort everything the owner has.
 */
export async function searchThreads(
  db: Connection,
  owner: Owner,
  query: ThreadQuery,
): Promise<readonly ThreadRecord[]> {
  const { limit, offset } = query;
  const parts = await filledParts(db, owner, query);
  const [first, ...others] = parts;
  if (first === undefined) return [];
  const beginning = pageOf({ limit: limit + offset, offset: 0 });
  const walks = parts.map((part) => sql`select * from (${walkOf(part, query)} ${beginning}) as walk`);
  const page =
    others.length === 0
      ? sql`${walkOf(first, query)} ${pageOf(query)}`
      : sql`${sql.join(walks, sql` union all `)} ${orderOf(query)} ${pageOf(query)}`;
  const { rows } = await sql<Selectable<ThreadsTable>>`
    select threads.* from (${page}) as page join threads on threads.thread_id = page.thread_id
    ${orderOf(query, 'threads')}`.execute(db);
  return rows.map(toThread);
}

export async function countThreads(db: Connection, owner: Owner, filter: ThreadFilter): Promise<number> {
  let total = 0;
  for (const part of await filledParts(db, owner, filter)) {
    const { rows } = await sql<{ total: number }>`select count(*) as total ${counted(part, filter)}`.execute(
      db,
    );
    total += rows[0]?.total ?? 0;
  }
  return total;
}

/** Threads of one owner, or all of them; the parts of what an owner sees have no thread in common. */
interface Part {
  readonly owner: Owner | null;
  /** The entry of the filter that the fewest of these threads have, and how many, up to `RARE`. */
  readonly fewest: { readonly hash: string; readonly threads: number } | undefined;
}

/** Without parts of which it is known that nothing in them matches. */
async function filledParts(db: Connection, owner: Owner, filter: ThreadFilter): Promise<readonly Part[]> {
  const hashes = entryHashes(filter.metadata ?? {});
  let parts = partsOf(owner);
  if (hashes.length === 0) return parts.length === 1 || (await hasShared(db)) ? parts : parts.slice(0, 1);
  for (const hash of hashes) {
    if (parts.length === 0) break;
    const counts = await countEntries(db, hash, parts);
    parts = parts.flatMap((part, index) => narrowed(part, { hash, threads: counts[index] ?? 0 }));
  }
  return parts;
}

function partsOf(owner: Owner): readonly Part[] {
  const owners: readonly Part['owner'][] = owner === UNSCOPED ? [owner] : [owner, null];
  return owners.map((it) => ({ owner: it, fewest: undefined }));
}

function hasShared(db: Connection): Promise<boolean> {
  return isAny(db.selectFrom('threads').select('thread_id').where('user_id', 'is', null).limit(1));
}

function narrowed(part: Part, entry: NonNullable<Part['fewest']>): readonly Part[] {
  if (entry.threads === 0) return [];
  const isFewer = part.fewest === undefined || entry.threads < part.fewest.threads;
  return [isFewer ? { ...part, fewest: entry } : part];
}

/** How many threads of each part have the entry, up to `RARE`, in one question. */
async function countEntries(
  db: Connection,
  hash: string,
  parts: readonly Part[],
): Promise<readonly (number | undefined)[]> {
  const counts = parts.map(
    ({ owner }, index) => sql`(
      select count(*) from (
        select thread_id from thread_metadata
        where entry_hash = ${hash} and ${isOf(owner, 'thread_metadata')} limit ${RARE}
      ) as few) as ${sql.ref(`part_${index}`)}`,
  );
  const { rows } = await sql<Record<string, number>>`select ${sql.join(counts)}`.execute(db);
  return parts.map((_, index) => rows[0]?.[`part_${index}`]);
}

/** The matching threads of the part in their order: `thread_id`, and what they are sorted by. */
function walkOf(part: Part, query: ThreadQuery): RawBuilder<unknown> {
  return sql`
    select threads.thread_id, threads.status, threads.created_at, threads.updated_at,
      threads.state_updated_at
    ${matching(part, query)} ${orderOf(query, 'threads')}`;
}

/** What `count(*)` is asked of: with nothing but metadata to look for, the index of its entries. */
function counted(part: Part, filter: ThreadFilter): RawBuilder<unknown> {
  const { fewest, owner } = part;
  if (fewest === undefined || columnConditions(filter).length > 0) return matching(part, filter);
  const conditions = [
    sql`entry_hash = ${fewest.hash}`,
    isOf(owner, 'thread_metadata'),
    ...entriesBeside(fewest.hash, filter, 'thread_metadata'),
  ];
  return sql`from thread_metadata where ${sql.join(conditions, sql` and `)}`;
}

/** A cross join, because SQLite keeps its order: first the few entries, then their threads. */
function matching({ owner, fewest }: Part, filter: ThreadFilter): RawBuilder<unknown> {
  const start = fewest !== undefined && fewest.threads < RARE ? fewest.hash : undefined;
  const conditions = [
    isOf(owner, 'threads'),
    ...columnConditions(filter),
    ...entriesBeside(start, filter, 'threads'),
  ];
  if (start === undefined) return sql`from threads where ${sql.join(conditions, sql` and `)}`;
  return sql`from (
      select thread_id as id from thread_metadata
      where entry_hash = ${start} and ${isOf(owner, 'thread_metadata')}
    ) as few cross join threads
    where threads.thread_id = few.id and ${sql.join(conditions, sql` and `)}`;
}

function isOf(owner: Part['owner'], table: 'threads' | 'thread_metadata'): RawBuilder<SqlBool> {
  if (owner === UNSCOPED) return isOwned(`${table}.user_id`);
  const column = sql.ref(`${table}.user_id`);
  if (owner === null) return sql<SqlBool>`${column} is null`;
  return sql<SqlBool>`${column} = ${owner} and ${isListed(owner, `${table}.thread_id`)}`;
}

function columnConditions({ status, ids }: ThreadFilter): readonly RawBuilder<SqlBool>[] {
  return [
    ...(status === undefined ? [] : [sql<SqlBool>`threads.status = ${status}`]),
    ...(ids === undefined ? [] : [isOneOf('threads.thread_id', ids)]),
  ];
}

/** All entries of the filter but this one. */
function entriesBeside(
  hash: string | undefined,
  { metadata = {} }: ThreadFilter,
  table: 'threads' | 'thread_metadata',
): readonly RawBuilder<SqlBool>[] {
  const others = entryHashes(metadata).filter((it) => it !== hash);
  return others.map(
    (it) => sql<SqlBool>`exists (
      select 1 from thread_metadata as other
      where other.thread_id = ${sql.ref(`${table}.thread_id`)} and other.entry_hash = ${it}
    )`,
  );
}

/** Threads of one status by their last change, as the index has it: thousands have the same. */
function orderOf({ sortBy, sortOrder }: ThreadQuery, table?: 'threads'): RawBuilder<unknown> {
  const columns = [...new Set([sortBy, ...(sortBy === 'status' ? ['updated_at'] : []), 'thread_id'])];
  const prefix = table === undefined ? '' : `${table}.`;
  const terms = columns.map((column) => sql`${sql.ref(prefix + column)} ${sql.raw(sortOrder)}`);
  return sql`order by ${sql.join(terms)}`;
}
