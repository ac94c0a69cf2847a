// The second wall: which rows Postgres shows and accepts when a repository forgets to filter.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { enforceOwners, rowSecurityOf } from '../../src/storage/sql/database/row-security.ts';
import { machineClock } from '../../src/storage/sql/database/shared-clock.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { createSqlStorage } from '../../src/storage/sql/sql-storage.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { ANN, BOB, sampleChange, sampleCheckpoint, sampleEvent, sampleUser, startRun } from './samples.ts';
import { sampleSession } from './sessions.contract.ts';

/** Tables without row-level security, and why they hold nothing of an owner. */
const UNGUARDED: Readonly<Record<string, string>> = {
  audit_head: 'one row, the end of the chain',
};

/** Readable by all, because they hold only hashes, words and ids; written with their thread. */
const READ_BY_ALL: ReadonlySet<string> = new Set(['thread_metadata', 'search_docs', 'thread_removals']);

describe('row-level security', () => {
  let server: TestPostgres;
  let database: Database;
  let storage: Storage;
  beforeAll(async () => {
    server = await openTestPostgres();
    database = await openDatabase(server.url, QUIET_LOG);
    await migrate(database, MIGRATIONS, Date.now);
    await enforceOwners(database, QUIET_LOG);
    storage = createSqlStorage(database, machineClock(Date.now));
    for (const owner of [ANN, BOB]) await fill(owner);
    await startRun(storage, UNSCOPED, 'ownerless');
  });
  afterAll(async () => {
    await storage.close();
    await server.close();
  });

  /** Writes a row of the owner in every table that has owners, trace contents included. */
  async function fill(owner: string): Promise<void> {
    await storage.users.insert(sampleUser(owner));
    const run = await startRun(storage, owner, `run-of-${owner}`);
    const key = { keyId: owner, name: owner, hint: 'h', hash: owner, createdAt: 1, expiresAt: null };
    await storage.as(owner).apiKeys.create({ ...key, scopes: ['read'] }, 9);
    await storage.sessions.open(sampleSession(`session-of-${owner}`, { userId: owner }), 9);
    await storage.as(owner).threads.update(run.threadId, { metadata: { a: 1 }, now: 3 });
    const events = [sampleEvent('x'.repeat(10_000), { category: 'trace', eventType: 'llm_request' })];
    const checkpoints = [sampleCheckpoint(`checkpoint-of-${owner}`, null)];
    await storage.runCommits.commit([sampleChange(run, { events, checkpoints })], 3);
  }

  const guarded = async (): Promise<readonly { name: string; guarded: boolean }[]> =>
    (
      await database.read((db) =>
        sql<{
          name: string;
          guarded: boolean;
        }>`select relname as name, relrowsecurity as guarded from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') order by relname`.execute(
          db,
        ),
      )
    ).rows;

  const rowsSeen = async (owner: string, table: string): Promise<readonly string[]> => {
    const query = sql<{ row: string }>`select to_jsonb(it)::text as row from ${sql.table(table)} as it`;
    return (await database.ownedBy(owner).read((db) => query.execute(db))).rows.map(({ row }) => row);
  };

  it('[storage.rls.tables] guards every table, except those that give a reason', async () => {
    expect(await rowSecurityOf(database)).toBe('on');
    const open = (await guarded()).filter((it) => !it.guarded).map(({ name }) => name);
    expect(open.toSorted()).toEqual(Object.keys(UNGUARDED).toSorted());
  });

  it("[storage.rls.read] shows an owner nothing of another one's, with no filter in the statement", async () => {
    for (const { name, guarded: isGuarded } of await guarded()) {
      if (!isGuarded || READ_BY_ALL.has(name)) continue;
      const seen = (await rowsSeen(ANN, name)).join('\n');
      expect([name, seen.includes(BOB)]).toEqual([name, false]);
    }
    for (const table of [
      'users',
      'threads',
      'runs',
      'run_events',
      'checkpoints',
      'api_keys',
      'sessions',
      'trace_contents',
    ])
      expect([table, (await rowsSeen(ANN, table)).length > 0]).toEqual([table, true]);
    expect((await rowsSeen(ANN, 'threads')).join()).toContain('thread-of-ownerless');
  });

  it("[storage.rls.write] lets an owner neither change nor take another one's rows, nor give rows away", async () => {
    const owned = database.ownedBy(ANN);
    for (const table of ['threads', 'runs', 'run_events', 'api_keys', 'sessions', 'users']) {
      const column = table === 'users' ? 'id' : 'user_id';
      const change = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${ANN} where ${sql.ref(column)} = ${BOB}`;
      const removal = sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${BOB}`;
      for (const statement of [change, removal])
        expect((await owned.write((trx) => statement.execute(trx))).numAffectedRows ?? 0n).toBe(0n);
    }
    const given = sql`update threads set user_id = ${BOB} where user_id = ${ANN}`;
    await expect(owned.write((trx) => given.execute(trx))).rejects.toThrow('row-level security');
    expect(await storage.as(BOB).threads.get(`thread-of-run-of-${BOB}`)).toBeDefined();
  });

  it('[storage.rls.local] leaves nothing of an owner on the connection', async () => {
    const who = sql<{ role: string; owner: string | null }>`select current_user as role,
      current_setting('agent_service.owner', true) as owner`;
    const plain = async () => (await database.read((db) => who.execute(db))).rows[0];
    const before = await plain();
    for (let n = 0; n < 12; n += 1) {
      const asOwner = (await database.ownedBy(ANN).read((db) => who.execute(db))).rows[0];
      expect(asOwner).toEqual({ role: 'agent_service_owner', owner: ANN });
      expect((await plain())?.role).toBe(before?.role);
      expect((await plain())?.owner ?? '').toBe('');
    }
    const broken = database.ownedBy(ANN).read((db) => sql`select 1 / 0`.execute(db));
    await expect(broken).rejects.toThrow('division by zero');
    expect((await database.ownedBy(`O'Neil \\ "x"`).read((db) => who.execute(db))).rows[0]?.owner).toBe(
      `O'Neil \\ "x"`,
    );
    expect((await plain())?.owner ?? '').toBe('');
  });

  it('[storage.rls.write] shows an owner no table of the service, and accepts index entries only with their thread', async () => {
    for (const table of ['schema_migrations', 'write_probes', 'account_removals', 'event_retention'])
      expect([table, await rowsSeen(ANN, table)]).toEqual([table, []]);
    const owned = database.ownedBy(ANN);
    const removal = sql`delete from thread_metadata where thread_id = ${`thread-of-run-of-${BOB}`}`;
    expect((await owned.write((trx) => removal.execute(trx))).numAffectedRows ?? 0n).toBe(0n);
    const entry = sql`insert into thread_metadata (thread_id, entry_hash) values (${`thread-of-run-of-${BOB}`}, 'x')`;
    await expect(owned.write((trx) => entry.execute(trx))).rejects.toThrow('row-level security');
  });

  it('[storage.rls.local] gives concurrent owners their own rows each time', async () => {
    const me = sql<{ owner: string }>`select current_setting('agent_service.owner', true) as owner`;
    const owners = Array.from({ length: 300 }, (_, n) => `owner-${n % 17}`);
    const answers = await Promise.all(
      owners.map((owner) =>
        database.ownedBy(owner).read(async (db) => (await me.execute(db)).rows[0]?.owner),
      ),
    );
    expect(answers).toEqual(owners);
    const undone = database.ownedBy(BOB).write(() => Promise.reject(new Error('undone')));
    await expect(undone).rejects.toThrow('undone');
    for (const owner of [BOB, ANN]) expect((await rowsSeen(owner, 'users')).length).toBe(1);
  });

  it('[storage.rls.active] reports whether it is active, and warns when a table lets owners past it', async () => {
    const run = (statement: string) => database.write((trx) => sql.raw(statement).execute(trx));
    const said: [level: string, message: string, tables: unknown][] = [];
    const saying = (level: string) => (fields: object, message: string) =>
      void said.push([level, message.split(':')[0] ?? '', 'tables' in fields ? fields.tables : undefined]);
    const log = { ...QUIET_LOG, info: saying('info'), warn: saying('warn') };
    await enforceOwners(database, log);
    expect(await rowSecurityOf(database)).toBe('on');
    await run('alter table threads disable row level security');
    expect(await rowSecurityOf(database)).toBe('bypassed');
    await enforceOwners(database, log);
    await run('alter table threads enable row level security');
    expect(await rowSecurityOf(database)).toBe('on');
    expect(said).toEqual([
      ['info', 'Row-level security is on', undefined],
      ['warn', 'Row-level security is bypassed', ['threads']],
    ]);
  });

  it('[storage.rls.default] is on unless the configuration says otherwise', async () => {
    const said = async (options: { readonly row_level_security?: boolean }) => {
      const messages: string[] = [];
      const log = { ...QUIET_LOG, info: (_: object, message: string) => void messages.push(message) };
      await (await openStorage({ url: server.url, log, ...options })).close();
      return messages;
    };
    expect(await said({})).toEqual([expect.stringContaining('Row-level security is on')]);
    expect(await said({ row_level_security: false })).toEqual([]);
  });

  it('[storage.rls.off] works without the wall, and warns, when its role may not use that of the owners', async () => {
    const name = `plain_${crypto.randomUUID().replaceAll('-', '')}`;
    const run = (statement: string) => database.write((trx) => sql.raw(statement).execute(trx));
    await run(`create role ${name} login`);
    await run(`create schema ${name} authorization ${name}`);
    const url = new URL(server.url);
    url.username = name;
    url.searchParams.set('options', `-c search_path=${name}`);
    const warnings: string[] = [];
    const log = { ...QUIET_LOG, warn: (_: object, message: string) => void warnings.push(message) };
    const poor = await openDatabase(url.href, log);
    await migrate(poor, MIGRATIONS, Date.now);
    await enforceOwners(poor, log);
    expect(warnings).toEqual([expect.stringContaining('Row-level security is off')]);
    const without = createSqlStorage(poor, machineClock(Date.now));
    await startRun(without, ANN, 'r');
    expect(await without.as(BOB).runs.get('r')).toBeUndefined();
    await run(`grant agent_service_owner to ${name}`);
    await enforceOwners(poor, log);
    expect(await rowSecurityOf(poor)).toBe('on');
    expect(warnings).toHaveLength(1);
    await without.close();
    await run(`drop owned by ${name} cascade; drop role ${name}`);
  });
});
