// Items of the store of one owner, in SQL.
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Owner } from '../../storage.ts';
import type {
  ExpiredStoreItems,
  StoreItem,
  StoreItemName,
  StoreItemRepository,
  StoreUse,
} from '../../store-items.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { parseJsonObject } from '../database/json-column.ts';
import { userOf, writableBy } from '../database/owner-filter.ts';
import { unpackText } from '../database/packed-text.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { allOf, apply, firstOf, isAny } from '../database/results.ts';
import type { StoreItemsTable } from '../database/tables.ts';

export function createStoreItemRepository(database: Database, owner: Owner): StoreItemRepository {
  const mine = writableBy(owner, 'user_id');
  return { ...reading(database, mine), ...writing(database, owner, mine) };
}

function reading(database: Database, mine: RawBuilder<SqlBool>) {
  const live = (db: Connection, now: number) =>
    db
      .selectFrom('store_items')
      .where(mine)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
  const within = (db: Connection, prefix: readonly string[], now: number) =>
    live(db, now).where(beginsWith(prefix));
  return {
    get: (name, now) =>
      database.read((db) => {
        const item = live(db, now).where(named([name]));
        return firstOf(item.selectAll(), toItem);
      }),

    list: async (names, now) => {
      if (names.length === 0) return [];
      const items = await database.read((db) => allOf(live(db, now).where(named(names)).selectAll(), toItem));
      const found = new Map(items.map((item) => [uniqueName(item), item]));
      return names.flatMap((name) => found.get(uniqueName(name)) ?? []);
    },

    scan: ({ prefix, after, limit, now }) =>
      database.read((db) => {
        let rows = within(db, prefix, now).selectAll();
        if (after !== undefined)
          rows = rows.where(sql<SqlBool>`(namespace, key) > (${textOf(after.namespace)}, ${after.key})`);
        return allOf(rows.orderBy('namespace').orderBy('key').limit(limit), toItem);
      }),

    newest: ({ prefix, limit, offset, now }) =>
      database.read((db) => {
        const names = within(db, prefix, now).select(['namespace', 'key']).orderBy('updated_at', 'desc');
        const page = names.orderBy('namespace').orderBy('key').limit(limit).offset(offset);
        return allOf(page, ({ namespace, key }) => ({ namespace: labelsOf(namespace), key }));
      }),

    namespaces: (prefix, now) =>
      database.read((db) => {
        const all = within(db, prefix, now).select('namespace').distinct().orderBy('namespace');
        return allOf(all, ({ namespace }) => labelsOf(namespace));
      }),

    use: () => database.read((db) => useOf(db, mine)),
  } satisfies Partial<StoreItemRepository>;
}

function writing(database: Database, owner: Owner, mine: RawBuilder<SqlBool>) {
  return {
    async put(item, limit, now) {
      const value = JSON.stringify(item.value);
      const row = {
        user_id: userOf(owner, 'an item of the store'),
        namespace: textOf(item.namespace),
        key: item.key,
        updated_at: now,
        ttl_ms: item.ttlMs,
        expires_at: item.ttlMs === null ? null : now + item.ttlMs,
        bytes: Buffer.byteLength(value),
        value: database.packed(value),
      };
      return database.write(async (trx) => {
        const before = await replaced(trx, row, now);
        const growth = { items: before === undefined ? 1 : 0, bytes: row.bytes - (before?.bytes ?? 0) };
        if (exceeds(limit, await useOf(trx, mine), growth)) return 'too_many';
        await upsert(trx, { ...row, created_at: before?.created_at ?? now });
        return 'stored';
      });
    },

    delete: (name) =>
      database.write((trx) => {
        const own = trx.deleteFrom('store_items').where(mine);
        return isAny(own.where(named([name])).returning('key'));
      }),

    refresh: async (names, now) => {
      if (names.length === 0) return;
      await database.write((trx) =>
        trx
          .updateTable('store_items')
          .set({ expires_at: sql<number>`${now} + ttl_ms` })
          .where(mine)
          .where(named(names))
          .where('expires_at', '>', now)
          .execute(),
      );
    },
  } satisfies Partial<StoreItemRepository>;
}

export function createExpiredStoreItems(database: Database): ExpiredStoreItems {
  return {
    remove: async ({ now, limit }) => {
      const expiredIn = (db: Connection) =>
        db
          .selectFrom('store_items')
          .select(['user_id', 'namespace', 'key'])
          .where('expires_at', '<=', now)
          .orderBy('expires_at')
          .limit(limit);
      // Most passes find nothing and need no transaction.
      if (!(await database.read((db) => isAny(expiredIn(db).limit(1))))) return 0;
      return database.write(async (trx) => {
        const names = await database.locked(expiredIn(trx)).execute();
        for (const name of names) await deletion(trx, name).execute();
        return names.length;
      });
    },
  };
}

/** Returns the item that the row replaces. Deletes an expired one instead. */
async function replaced(
  trx: WriteTransaction,
  { user_id, namespace, key }: RowKey,
  now: number,
): Promise<Pick<StoreItemsTable, 'bytes' | 'created_at'> | undefined> {
  await deletion(trx, { user_id, namespace, key }).where('expires_at', '<=', now).execute();
  const before = trx.selectFrom('store_items').select(['bytes', 'created_at']);
  return before.where((eb) => eb.and({ user_id, namespace, key })).executeTakeFirst();
}

type RowKey = Pick<StoreItemsTable, 'user_id' | 'namespace' | 'key'>;

function deletion(trx: WriteTransaction, key: RowKey) {
  return trx.deleteFrom('store_items').where((eb) => eb.and(key));
}

/**
 * Whether the growth exceeds a limit. Only growth counts, because the use may already exceed a limit that was
 * lowered.
 */
function exceeds(limit: StoreUse, use: StoreUse, growth: StoreUse): boolean {
  const tooMany = growth.items > 0 && use.items + growth.items > limit.items;
  const tooLarge = growth.bytes > 0 && use.bytes + growth.bytes > limit.bytes;
  return tooMany || tooLarge;
}

function upsert(trx: WriteTransaction, row: StoreItemsTable): Promise<void> {
  const { user_id, namespace, key, ...content } = row;
  const added = trx.insertInto('store_items').values(row);
  return apply(added.onConflict((it) => it.columns(['user_id', 'namespace', 'key']).doUpdateSet(content)));
}

async function useOf(db: Connection, mine: RawBuilder<SqlBool>): Promise<StoreUse> {
  const sums = db
    .selectFrom('store_items')
    .select((eb) => [eb.fn.countAll<number>().as('items'), eb.fn.sum<number | null>('bytes').as('bytes')]);
  const row = await sums.where(mine).executeTakeFirst();
  return { items: Number(row?.items ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/**
 * Matches the namespace and those below it. Labels have no dots, so names below begin with the namespace and
 * a dot. `/` is the character after the dot.
 */
function beginsWith(prefix: readonly string[]): RawBuilder<SqlBool> {
  if (prefix.length === 0) return sql<SqlBool>`1 = 1`;
  const namespace = textOf(prefix);
  return sql<SqlBool>`(namespace = ${namespace} or (namespace > ${`${namespace}.`} and namespace < ${`${namespace}/`}))`;
}

function named(names: readonly StoreItemName[]): RawBuilder<SqlBool> {
  const each = names.map(
    ({ namespace, key }) => sql<SqlBool>`(namespace = ${textOf(namespace)} and key = ${key})`,
  );
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

const PLAIN = plainColumns(['key', 'created_at', 'updated_at', 'expires_at']);

function toItem(row: Selectable<StoreItemsTable>): StoreItem {
  return {
    ...PLAIN.fieldsOf(row),
    namespace: labelsOf(row.namespace),
    value: parseJsonObject(unpackText(row.value)),
  };
}

function textOf(namespace: readonly string[]): string {
  return namespace.join('.');
}

function labelsOf(namespace: string): readonly string[] {
  return namespace.split('.');
}

/** Neither part has a line break. */
function uniqueName({ namespace, key }: StoreItemName): string {
  return `${textOf(namespace)}\n${key}`;
}
