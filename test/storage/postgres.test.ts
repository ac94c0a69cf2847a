// The storage contract on Postgres, and the failures that only a networked server has.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RunRecord } from '../../src/storage/runs.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { migrate, SchemaTooNewError } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ownTime } from '../support/own-time.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { allContracts } from './contracts.ts';
import { simulateCopies } from './copies-simulation.ts';
import { expectFirstSchemaRecords, FIRST_SCHEMA_RECORDS } from './first-schema.ts';
import { openLossyProxy } from './lossy-proxy.ts';
import {
  ANN,
  admitRun,
  CANCEL,
  claimRuns,
  createThread,
  deleteThread,
  finishRun,
  sampleChange,
  sampleEvent,
  sampleRun,
  startRun,
} from './samples.ts';
import { insertFirstTwice, startCommits } from './start-process.ts';

const NEWEST = { cursor: { kind: 'newest' }, limit: 100 } as const;

/** Empties all tables but the audit log. `truncate` takes ten times as long: each table gets new files. */
const EMPTIED = `do $$ declare name text; begin
  set local session_replication_role = replica;
  for name in select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    and relname not in ('schema_migrations', 'audit_log', 'audit_head')
  loop execute format('delete from %I', name); end loop;
end $$`;

describe('Postgres', () => {
  let server: TestPostgres;
  let administrator: pg.Client;
  let shared: Storage | undefined;
  beforeAll(async () => {
    server = await openTestPostgres();
    administrator = new pg.Client({ connectionString: server.url });
    // One of the tests ends all connections.
    administrator.on('error', () => {});
    await administrator.connect();
  });
  afterAll(async () => {
    await shared?.close();
    await administrator.end();
    await server.close();
  });

  const onServer = (statement: string): Promise<pg.QueryResult> => administrator.query(statement);
  /** Opens an empty storage, through `url` if that is another way to the same database. */
  const open = async (url = server.url) => {
    const storage = await openStorage({ url, log: QUIET_LOG });
    await onServer(EMPTIED);
    return storage;
  };

  /** Returns the one storage of all contracts, emptied: connecting anew would take most of the time. */
  const openShared = async (): Promise<Storage> => {
    shared ??= await openStorage({ url: server.url, log: QUIET_LOG });
    await onServer(EMPTIED);
    return { ...shared, close: async () => {} };
  };

  /** Whether a process is stopped between two statements of a transaction, with rows locked. */
  const holdsLocks = async () => {
    const { rows } = await onServer(`select 1 from pg_stat_activity where datname = current_database()
      and state = 'idle in transaction' and backend_xid is not null`);
    return rows.length > 0;
  };

  allContracts(openShared, open);

  it('two processes that start concurrently migrate once and insert one first user', async () => {
    await onServer('drop schema public cascade; create schema public');
    expect((await insertFirstTwice(server.url)).toSorted()).toEqual(['false', 'true']);
    expect((await onServer('select number from schema_migrations')).rows).toHaveLength(MIGRATIONS.length);
  });

  it('the first schema with its records becomes the current one', async () => {
    await onServer('drop schema public cascade; create schema public');
    const database = await openDatabase(server.url, QUIET_LOG);
    await migrate(database, MIGRATIONS.slice(0, 1), () => 1);
    await database.close();
    for (const statement of FIRST_SCHEMA_RECORDS) await onServer(statement);
    const storage = await openStorage({ url: server.url, log: QUIET_LOG });
    await expectFirstSchemaRecords(storage);
    await storage.close();
  });

  it('[storage.migration-time] a migration of large tables has no time limit, and waits for none of them', async () => {
    const own = await openTestPostgres();
    const database = await openDatabase(own.url, QUIET_LOG);
    onTestFinished(async () => {
      await database.close();
      await own.close();
    });
    const limits = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
    const asked = { number: 1, name: 'limits', statements: [`create table limits as ${limits}`] };
    await migrate(database, [asked], () => 1);
    const found = await database.read((db) => sql`select * from limits`.execute(db));
    expect(found.rows).toEqual([{ statement: '0', lock: '5s' }]);
    const others = await database.read((db) => sql.raw(limits).execute(db));
    expect(others.rows).toEqual([{ statement: '10s', lock: '5s' }]);
  });

  it('two processes with the same key admit one run', async () => {
    const [one, two] = [await open(), await openStorage({ url: server.url, log: QUIET_LOG })];
    for (let n = 0; n < 10; n++) {
      for (const threadId of [`a${n}`, `b${n}`]) await createThread(one, ANN, threadId);
      const answers = await Promise.all([
        one.as(ANN).runs.admit(sampleRun(`r${n}`, `a${n}`, { idempotencyKey: `k${n}` })),
        two.as(ANN).runs.admit(sampleRun(`s${n}`, `b${n}`, { idempotencyKey: `k${n}` })),
      ]);
      expect(answers.map((answer) => answer.kind).sort()).toEqual(['admitted', 'repeated']);
    }
    await Promise.all([one.close(), two.close()]);
  });

  it('the database of a newer release is refused with advice', async () => {
    await (await open()).close();
    await onServer(`insert into schema_migrations (number, name, applied_at) values (999, 'future', 1)`);
    await expect(open()).rejects.toThrow(SchemaTooNewError);
    await onServer('delete from schema_migrations where number = 999');
  });

  it('[storage.processes] two processes on one database share the work and never an attempt', async () => {
    const [one, two] = [await open(), await openStorage({ url: server.url, log: QUIET_LOG })];
    for (let n = 0; n < 30; n++) {
      await one.as(ANN).threads.create({ threadId: `t${n}`, metadata: {}, assistantId: null, now: 1 });
      await one.as(ANN).runs.admit(sampleRun(`r${n}`, `t${n}`));
    }
    const claims = Array.from({ length: 8 }, (_, n) => {
      return n % 2 === 0 ? claimRuns(one, { workerId: 'one' }, 5) : claimRuns(two, { workerId: 'two' }, 5);
    });
    const ids = (await Promise.all(claims)).flat().map((run) => run.runId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(0);
    await Promise.all([one.close(), two.close()]);
  });

  it('[storage.frozen] locks of a process that is stopped in a transaction are released after five seconds', async () => {
    const storage = await open();
    const frozen = startCommits(server.url);
    onTestFinished(() => frozen.kill());
    await frozen.committed(1);
    do {
      frozen.signal('SIGCONT');
      await frozen.committed(1);
      frozen.signal('SIGSTOP');
    } while (!(await holdsLocks()));
    const took = ownTime();
    expect(await storage.as(ANN).runs.cancel('r', CANCEL)).toBe('requested');
    expect(took()).toBeLessThan(9_000);
    // It continues as after any lost connection.
    frozen.signal('SIGCONT');
    await frozen.committed(3);
    await storage.close();
  });

  it('[commits.blocked] a change of a locked thread is omitted and named, and delays no other change', async () => {
    const storage = await open();
    const [held, free] = [await startRun(storage, ANN, 'held'), await startRun(storage, ANN, 'free')];
    await storage.workers.register({ workerId: 'worker', leaseMs: 60_000 });
    const holder = new pg.Client({ connectionString: server.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from threads where thread_id = $1 for update', [held.threadId]);
    const change = (of: RunRecord) => sampleChange(of, { events: [sampleEvent(of.runId)] });
    const pieces = { firstSeq: 1, lastSeq: 1, attempt: 1, events: '["said"]' };
    const log = {
      workerId: 'worker',
      flush: 1,
      after: 0,
      pieces: [{ runId: 'free', ...pieces }],
      sortedTo: 1,
    };
    const commit = () => storage.runCommits.commit([change(held), change(free)], 3000, log);
    expect(await commit()).toEqual({ lost: [], blocked: ['held'] });
    // The same for a retry after a lost response.
    expect(await commit()).toEqual({ lost: [], blocked: ['held'] });
    // Text of a run needs no thread.
    const said = sampleChange(held, { frames: pieces });
    expect(await storage.runCommits.commit([said], 3000)).toEqual({ lost: [], blocked: [] });
    const { rowCount } = await onServer('select 1 from run_log');
    expect(rowCount).toBe(1);
    await holder.end();
    const again = { ...log, flush: 2, after: 1, pieces: [] };
    expect(await storage.runCommits.commit([change(held)], 3000, again)).toEqual({ lost: [], blocked: [] });
    for (const { runId, threadId } of [held, free]) {
      const { events } = await storage.as(ANN).runEvents.list(threadId, NEWEST);
      expect(events.map((event) => event.content)).toEqual([runId]);
    }
    await storage.close();
  });

  it('a claim beside an uncommitted one never starts a second run of a thread', async () => {
    const storage = await open();
    await createThread(storage, ANN, 't');
    await admitRun(storage, ANN, sampleRun('later', 't', { now: 1, delayMs: 600_000 }));
    await admitRun(storage, ANN, sampleRun('now', 't', { now: 2 }));
    const other = new pg.Client({ connectionString: server.url });
    await other.connect();
    await other.query(
      `begin; update runs set status = 'running', lease_owner = 'other' where run_id = 'later'`,
    );
    const claim = claimRuns(storage, { workerId: 'w' });
    const blocked = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(async () => (await onServer(blocked)).rowCount).toBe(1);
    await other.query('commit');
    expect(await claim).toEqual([]);
    expect(await storage.as(ANN).runs.get('now')).toMatchObject({ status: 'pending', attempt: 0 });
    await other.end();
    await storage.close();
  });

  it.each(['answer to commit', 'commit'] as const)(
    '[storage.commit.lost-answer] a commit counts once when the network loses its %s',
    async (lost) => {
      const proxy = await openLossyProxy(server.url);
      const storage = await open(proxy.url);
      const run = await startRun(storage, ANN, 'r');
      proxy.lose(lost);
      const change = sampleChange(run, { events: [sampleEvent('once')] });
      expect(await storage.runCommits.commit([change], 3000)).toEqual({ lost: [], blocked: [] });
      expect(proxy.losses()).toBe(1);
      const { events } = await storage.as(ANN).runEvents.list(run.threadId, NEWEST);
      expect(events.map((event) => event.content)).toEqual(['once']);
      await storage.close();
      await proxy.close();
    },
  );

  it('connections that the server ends are replaced without an error', async () => {
    const storage = await open();
    await storage.checkWritable();
    await onServer(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
    await storage.checkWritable();
    await storage.close();
  });

  it('[storage.unreachable] a server that does not respond is unavailable', async () => {
    const proxy = await openLossyProxy(server.url);
    await proxy.close();
    await expect(openStorage({ url: proxy.url, log: QUIET_LOG })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('copies made and deleted at random keep what they see and no more', async () => {
    const storage = await open();
    const stored = async () => (await onServer('select 1 from checkpoints')).rowCount;
    const simulation = simulateCopies(storage, 1);
    for (let n = 0; n < 120; n++) await simulation.step();
    const { stored: seen, expected } = await simulation.compare();
    expect(seen).toEqual(expected);
    expect(await stored()).toBe(simulation.needed());
    await simulation.deleteAll();
    expect(await stored()).toBe(0);
    await storage.close();
  });

  it('no row of a deleted thread stays in any table', async () => {
    const storage = await open();
    const run = await startRun(storage, ANN, 'r');
    const events = [sampleEvent('x'.repeat(6000), { category: 'trace' }), sampleEvent('y')];
    const frames = { firstSeq: 1, lastSeq: 1, attempt: 1, events: '["x"]' };
    await storage.as(ANN).threads.update(run.threadId, { metadata: { a: 1 }, now: 1 });
    await storage.runCommits.commit([sampleChange(run, { events, frames })], 3000);
    await finishRun(storage, run);
    await deleteThread(storage, ANN, run.threadId);
    for (const table of [
      'runs',
      'idempotency_keys',
      'run_events',
      'run_frames',
      'trace_contents',
      'thread_metadata',
      'checkpoints',
    ]) {
      expect((await onServer(`select * from ${table}`)).rows).toEqual([]);
    }
    await storage.close();
  });
});
