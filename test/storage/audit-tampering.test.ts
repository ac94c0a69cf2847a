// The audit log against people with access to the database, on both databases.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditLog, NewAuditEntry } from '../../src/storage/audit-log.ts';
import { auditHash, createAppendAudit, createAuditLog } from '../../src/storage/sql/audit/audit-log.ts';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

const ENTRY: NewAuditEntry = { act: 'sign_in', actor: 'ann', clientIp: null, subject: 'ann' };

interface Opened {
  readonly url: string;
  close(): Promise<void>;
}

describe.each([
  ['SQLite', async (): Promise<Opened> => ({ url: 'sqlite::memory:', close: async () => {} })],
  ['Postgres', openTestPostgres],
] as const)('on %s', (name, openServer) => {
  let server: Opened;
  let database: Database;
  let audit: AuditLog;
  beforeAll(async () => {
    server = await openServer();
    database = await openDatabase(server.url, QUIET_LOG);
    await migrate(database, MIGRATIONS, Date.now);
    audit = createAuditLog(database, createAppendAudit(database, Date.now));
    for (let n = 0; n < 600; n++) await audit.append(ENTRY);
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });

  const execute = (text: string) => database.write((trx) => sql.raw(text).execute(trx));

  /** Tampers as an owner of the schema can: drops the triggers first, and undoes everything afterwards. */
  async function tampered(texts: readonly string[]) {
    const all = await database.read((db) =>
      db.selectFrom('audit_log').selectAll().orderBy('number').execute(),
    );
    const head = await audit.head();
    const free = async (change: readonly string[]) => {
      const off =
        name === 'Postgres' ? ['set local session_replication_role = replica'] : await dropTriggers();
      await database.write(async (trx) => {
        for (const text of [...off, ...change]) await sql.raw(text).execute(trx);
      });
    };
    await free(texts);
    const verdict = await audit.verify();
    const anchored = await audit.verify(head);
    await free(['delete from audit_log']);
    await database.write(async (trx) => {
      if (name === 'Postgres') await sql.raw('set local session_replication_role = replica').execute(trx);
      for (const row of all) await trx.insertInto('audit_log').values(row).execute();
      await trx.updateTable('audit_head').set(head).execute();
    });
    expect(await audit.verify()).toMatchObject({ kind: 'whole' });
    return { verdict, anchored };
  }

  async function dropTriggers(): Promise<string[]> {
    const found = await database.read((db) =>
      sql<{ name: string }>`select name from sqlite_master where type = 'trigger'`.execute(db),
    );
    return found.rows.map((trigger) => `drop trigger ${trigger.name}`);
  }

  it('[audit.append-only] the database refuses to change, remove and forge rows, and to move the end', async () => {
    const forged = auditHash({
      number: 601,
      at: 1,
      actor: null,
      client_ip: null,
      act: 'export',
      subject: null,
      details: '{}',
      previous_hash: 'x',
    });
    const refused = [
      'update audit_log set at = at',
      `update audit_log set actor = 'bob' where number = 3`,
      'delete from audit_log where number = 600',
      `insert into audit_log (number, at, act, details, previous_hash, hash)
        values (601, 1, 'export', '{}', 'x', '${forged}')`,
      `insert into audit_log (number, at, act, details, previous_hash, hash)
        select 700, at, act, details, 'y', 'z' from audit_log where number = 600`,
      'update audit_head set number = 599',
      `update audit_head set number = 601, hash = 'x'`,
      'delete from audit_head',
      `insert into audit_head (id, number, hash) values (2, 0, '')`,
      ...(name === 'Postgres' ? ['truncate audit_log', 'truncate audit_head'] : []),
    ];
    for (const text of refused) await expect(execute(text), text).rejects.toThrow('append-only');
    if (name === 'SQLite') {
      const replacing = `insert or replace into audit_log select * from audit_log where number = 600`;
      await expect(execute(replacing)).rejects.toThrow('append-only');
    }
    expect(await audit.verify()).toMatchObject({ kind: 'whole', head: { number: 600 } });
  });

  it('[audit.verify.changed] a changed field of any kind breaks the chain at its row', async () => {
    const changes = [
      `actor = 'bob'`,
      'actor = null',
      'at = at + 1',
      `act = 'export'`,
      `details = '{ }'`,
      `subject = ''`,
      `client_ip = '::1'`,
    ];
    for (const change of changes) {
      const { verdict } = await tampered([`update audit_log set ${change} where number = 501`]);
      expect(verdict, change).toMatchObject({ kind: 'broken', number: 501 });
    }
  });

  it('[audit.verify.missing] a missing row is named, in the middle and at the end', async () => {
    const middle = await tampered(['delete from audit_log where number = 400']);
    expect(middle.verdict).toEqual({ kind: 'broken', number: 400, why: 'It is missing.' });
    const end = await tampered(['delete from audit_log where number > 590']);
    expect(end.verdict).toMatchObject({ kind: 'broken', number: 591 });
    const all = await tampered(['delete from audit_log']);
    expect(all.verdict).toMatchObject({ kind: 'broken', number: 1 });
  });

  it('[audit.anchor] an end that was cut off together with its mark is found by an anchor', async () => {
    const { verdict, anchored } = await tampered([
      'delete from audit_log where number > 590',
      `update audit_head set number = 590, hash = (select hash from audit_log where number = 590)`,
    ]);
    expect(verdict).toMatchObject({ kind: 'whole', head: { number: 590 } });
    expect(anchored).toMatchObject({ kind: 'broken', number: 591 });
  });

  it('a row outside the chain is named', async () => {
    const { verdict } = await tampered([
      `insert into audit_log (number, at, act, details, previous_hash, hash)
        select 601, at, act, details, hash, 'made up' from audit_log where number = 600`,
    ]);
    expect(verdict).toMatchObject({ kind: 'broken', number: 601 });
  });
});

describe('several processes on Postgres', () => {
  it('[audit.concurrent] append to one chain', async () => {
    const server = await openTestPostgres();
    const databases = await Promise.all([1, 2, 3].map(() => openDatabase(server.url, QUIET_LOG)));
    const [first] = databases;
    if (first !== undefined) await migrate(first, MIGRATIONS, Date.now);
    const logs = databases.map((it) => createAuditLog(it, createAppendAudit(it, Date.now)));
    await Promise.all(logs.flatMap((log) => Array.from({ length: 60 }, () => log.append(ENTRY))));
    for (const log of logs) {
      expect(await log.verify()).toMatchObject({ kind: 'whole', head: { number: 180 } });
    }
    await Promise.all(databases.map((it) => it.close()));
    await server.close();
  });
});
