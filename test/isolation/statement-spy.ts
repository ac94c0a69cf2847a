// What one owner's repositories ask of the database: statement by statement, and how many rows came back.
import type { KyselyPlugin, QueryId } from 'kysely';
import { expect } from 'vitest';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { enforceOwners, rowSecurityOf } from '../../src/storage/sql/database/row-security.ts';
import { machineClock } from '../../src/storage/sql/database/shared-clock.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { createSqlStorage } from '../../src/storage/sql/sql-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

export interface SpiedStorage {
  readonly storage: Storage;
  /** From now on the statements of this owner are recorded. */
  watch(owner: string): void;
  /**
   * What was recorded since the last call: the kind of each statement with the number of rows that came back. Of statements
   * that run side by side, one may still be under way when another has decided what is answered.
   */
  taken(): Promise<readonly string[]>;
}

/** On Postgres with row-level security. */
export async function openSpiedStorage(url: string): Promise<SpiedStorage> {
  const database = await openDatabase(url, QUIET_LOG);
  await migrate(database, MIGRATIONS, Date.now);
  await enforceOwners(database, QUIET_LOG);
  expect(await rowSecurityOf(database)).toBe(database.name === 'postgres' ? 'on' : 'not_needed');
  let watched: string | undefined;
  let records: { readonly kind: string; rows?: number }[] = [];
  const asked = new WeakMap<QueryId, (typeof records)[number]>();
  const underWay = new Set<Promise<unknown>>();
  const noted = <T>(work: Promise<T>): Promise<T> => {
    const over: Promise<unknown> = work.then(
      () => underWay.delete(over),
      () => underWay.delete(over),
    );
    underWay.add(over);
    return work;
  };
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const record = { kind: node.kind };
      records.push(record);
      asked.set(queryId, record);
      return node;
    },
    async transformResult({ result, queryId }) {
      const record = asked.get(queryId);
      if (record !== undefined) record.rows = result.rows.length;
      return result;
    },
  };
  const spied = (over: Database): Database => ({
    ...over,
    ownedBy: (owner) => spied(over.ownedBy(owner)),
    get ahead() {
      return over.ahead === over ? this : spied(over.ahead);
    },
    read: (query) => noted(over.read((db) => query(db.withPlugin(plugin)))),
    write: (change) => noted(over.write((trx) => change(trx.withPlugin(plugin)))),
  });
  const storage = createSqlStorage(database, machineClock(Date.now));
  const recorded = createSqlStorage(spied(database), machineClock(Date.now));
  return {
    storage: { ...storage, as: (owner) => (owner === watched ? recorded : storage).as(owner) },
    watch(owner) {
      watched = owner;
    },
    async taken() {
      // A statement that fails has no rows when its work is over.
      while (underWay.size > 0) await Promise.all(underWay);
      const seen = records.map(({ kind, rows }) => `${kind}: ${rows ?? 'no answer'}`);
      records = [];
      // Some are asked at the same time, and answered in any order.
      return seen.toSorted();
    },
  };
}
