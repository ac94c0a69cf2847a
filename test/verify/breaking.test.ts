// Every projection is broken with SQL, found, mended and found whole again, on both databases.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { differencesIn } from '../support/stored-truth.ts';
import { BREAKAGES } from './breakages.ts';
import { type Conversations, makeConversations } from './conversations.ts';

async function openSqlite() {
  const folder = await mkdtemp(join(tmpdir(), 'verify-'));
  const close = () => rm(folder, { recursive: true, force: true });
  return { url: `sqlite:${join(folder, 'service.db')}`, close };
}

describe.each([
  ['SQLite', openSqlite],
  ['Postgres', openTestPostgres],
] as const)('verify on %s', (_, openServer) => {
  let server: Awaited<ReturnType<typeof openServer>>;
  let storage: Storage;
  let database: Database;
  let ids: Conversations;
  beforeAll(async () => {
    server = await openServer();
    ids = await makeConversations(server.url);
    storage = await openStorage({ url: server.url, log: QUIET_LOG });
    // What is broken shall be what is shown.
    while (await storage.runCommits.settleNext());
    database = await openDatabase(server.url, QUIET_LOG);
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await storage.close();
    await server.close();
  });

  const execute = (statement: string) => {
    const text = statement.replaceAll(/\$(\w+)/g, (_, name: keyof Conversations) => ids[name]);
    return database.write((trx) => sql.raw(text).execute(trx));
  };
  const snapshot = async () => {
    const threads = await database.read((db) =>
      db.selectFrom('threads').selectAll().orderBy('thread_id').execute(),
    );
    const runs = await database.read((db) => db.selectFrom('runs').selectAll().orderBy('run_id').execute());
    return { threads, runs };
  };

  it('[truth.whole] finds nothing where nothing is broken, and repairs nothing', async () => {
    const before = await snapshot();
    expect(await differencesIn(storage, true)).toEqual([]);
    expect(await snapshot()).toEqual(before);
  });

  it.each(BREAKAGES.map((breakage) => [breakage.what, breakage] as const))(
    '[truth.found] [truth.repaired] %s',
    async (_, { statements, found }) => {
      const before = await snapshot();
      for (const statement of statements) await execute(statement);
      const named = (it: { projection: string; what: string }) =>
        `${it.projection}: ${it.what}`.replace(/message \d+|(?<=day: ).*/, (it) =>
          it.startsWith('message') ? 'message' : 'day',
        );
      const looked = await differencesIn(storage);
      expect(looked.map(named)).toEqual(expect.arrayContaining([...found]));
      expect(looked.every(({ isMended, stored, folded }) => !isMended && stored !== folded)).toBe(true);
      expect(looked.map(({ stored }) => stored).join()).not.toContain('\n');
      const mended = await differencesIn(storage, true);
      expect(mended.length).toBeGreaterThan(0);
      // Mending one may mend another.
      for (const it of mended) expect(looked).toContainEqual({ ...it, isMended: false });
      expect(mended.every(({ isMended }) => isMended)).toBe(true);
      expect(await differencesIn(storage)).toEqual([]);
      const after = await snapshot();
      expect(after.runs).toEqual(before.runs);
      const uncounted = (threads: typeof before.threads) => threads.map((it) => ({ ...it, last_seq: 0 }));
      expect(uncounted(after.threads)).toEqual(uncounted(before.threads));
    },
  );

  it('[truth.unreadable] says what it cannot read, and leaves it', async () => {
    const { rows } = await database.read((db) =>
      sql<{ metadata: string }>`select metadata from threads where thread_id = ${ids.thread}`.execute(db),
    );
    await execute(`update threads set metadata = '{broken' where thread_id = '$thread'`);
    const found = await differencesIn(storage, true);
    expect(found).toMatchObject([{ projection: 'metadata index', threadId: ids.thread, isMended: false }]);
    await database.write((trx) =>
      sql`update threads set metadata = ${rows[0]?.metadata} where thread_id = ${ids.thread}`.execute(trx),
    );
    expect(await differencesIn(storage)).toEqual([]);
  });

  it('[truth.busy] leaves busy threads out if it is asked to, and looks at them if not', async () => {
    await execute(`update runs set status = 'pending', finished_at = null where run_id = '$run'`);
    const skipping = await storage.projections.verifyThread(ids.thread, {
      repair: true,
      busyThreads: 'skip',
    });
    expect(skipping).toEqual({ kind: 'busy' });
    const options = { repair: false, busyThreads: 'verify' } as const;
    expect(await storage.projections.verifyThread(ids.thread, options)).toMatchObject({
      kind: 'verified',
      differences: [{ what: 'status', stored: 'idle', folded: 'busy' }],
    });
    await execute(`update runs set status = 'success', finished_at = 99 where run_id = '$run'`);
    expect(await storage.projections.verifyThread('nothing', options)).toEqual({ kind: 'gone' });
  });
});

describe('verify beside a service on Postgres', () => {
  it('[truth.busy] omits a locked thread', async () => {
    const server = await openTestPostgres();
    const { thread } = await makeConversations(server.url);
    const storage = await openStorage({ url: server.url, log: QUIET_LOG });
    const holder = await openDatabase(server.url, QUIET_LOG);
    const verdict = await holder.write(async (trx) => {
      await sql`select 1 from threads where thread_id = ${thread} for update`.execute(trx);
      return storage.projections.verifyThread(thread, { repair: true, busyThreads: 'skip' });
    });
    expect(verdict).toEqual({ kind: 'busy' });
    await holder.close();
    await storage.close();
    await server.close();
  }, 60_000);
});
