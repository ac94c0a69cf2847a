// Who reads the audit log, and how: administrators over HTTP, operators on the command line.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditList, auditVerify } from '../../src/cli/audit.ts';
import type { NewAuditEntry } from '../../src/storage/audit-log.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { openTerminal, type Terminal } from '../cli/terminal.ts';
import { sampleUser } from '../storage/samples.ts';
import { signInAdministrator } from '../support/administrator.ts';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { openTestService, type TestService } from '../support/service.ts';

interface Page {
  readonly data: readonly { readonly number: number; readonly act: string; readonly at: string }[];
  readonly has_more: boolean;
  readonly next_before: number | null;
}

describe('GET /api/audit', () => {
  let service: TestService;
  let admin: HttpClient;
  beforeAll(async () => {
    service = await openTestService();
    admin = await signInAdministrator(service);
    await service.user('ann');
  });
  afterAll(() => service.close());

  const page = async (query: string) => bodyOf<Page>(await admin.get(`/api/audit?${query}`));

  it('[hostile.S36] [audit.read.administrators] administrators read it, others get 403, nobody 401', async () => {
    const whole = await page('');
    expect(whole.data.map(({ act }) => act)).toEqual([
      'register',
      'sign_in',
      'configuration_change',
      'admin_create',
    ]);
    expect(whole.data[0]).toEqual({
      number: 4,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/),
      act: 'register',
      actor: expect.any(String),
      client_ip: '192.0.2.10',
      subject: expect.any(String),
      details: {},
      previous_hash: expect.any(String),
      hash: expect.any(String),
    });
    const others = await (await service.user('bob')).get('/api/audit');
    expect([others.status, await others.text()]).toEqual([
      403,
      '{"detail":"Only administrators can do this."}',
    ]);
    expect((await service.client().get('/api/audit')).status).toBe(401);
  });

  it('[audit.read.paged] page after page, and by act, user and time', async () => {
    const first = await page('limit=2');
    expect(first).toMatchObject({ has_more: true, next_before: first.data[1]?.number });
    const rest = await page(`before=${first.next_before}`);
    expect(rest).toMatchObject({ has_more: false, next_before: null });
    expect(rest.data[0]?.number).toBe((first.next_before ?? 0) - 1);
    expect((await page('act=admin_create')).data).toHaveLength(1);
    expect((await page('user=nobody')).data).toEqual([]);
    expect((await page('since=2999-01-01T00:00:00Z')).data).toEqual([]);
    const answers = ['limit=0', 'limit=201', 'before=x', 'since=yesterday', 'act=dance', 'user='];
    for (const query of answers) expect((await admin.get(`/api/audit?${query}`)).status, query).toBe(422);
  });
});

describe('audit on the command line', () => {
  const SIGN_IN: NewAuditEntry = {
    act: 'sign_in',
    actor: 'ann-id',
    clientIp: '192.0.2.1',
    subject: 'ann-id',
  };

  async function terminalWith(entries: readonly NewAuditEntry[]) {
    const terminal = await openTerminal();
    const storage = await openStorage({
      url: `sqlite:${join(terminal.dataHome, 'service.db')}`,
      log: QUIET_LOG,
      now: () => Date.UTC(2026, 10, 20),
    });
    await storage.users.insert(sampleUser('ann-id', { email: 'ann@example.org' }));
    for (const entry of entries) await storage.audit.append(entry);
    const head = await storage.audit.head();
    await storage.close();
    return { terminal, anchor: `${head.number}:${head.hash}` };
  }

  const inDatabase = ({ dataHome }: Terminal, ...statements: readonly string[]) => {
    const database = new DatabaseSync(join(dataHome, 'service.db'));
    for (const statement of statements) database.exec(statement);
    database.close();
  };

  it('[audit.cli.verify] says that it is whole, how long, and where it ends', async () => {
    const { terminal, anchor } = await terminalWith([SIGN_IN, SIGN_IN]);
    expect(await auditVerify(terminal)).toBe(0);
    expect(terminal.text()).toBe(`The audit log is whole: 2 rows.\nIt ends at ${anchor}`);
    expect(await auditVerify(terminal, anchor)).toBe(0);
    expect(await auditVerify((await terminalWith([])).terminal)).toBe(0);
  });

  it('[audit.cli.verify] names the first broken row and fails', async () => {
    const { terminal } = await terminalWith([SIGN_IN, SIGN_IN, SIGN_IN]);
    inDatabase(
      terminal,
      'drop trigger audit_log_update',
      `update audit_log set actor = 'bob' where number = 2`,
    );
    expect(await auditVerify(terminal)).toBe(1);
    expect(terminal.text()).toMatch(
      /^Row 2 of the audit log is broken\. .*changed.*\n1 row before it: whole\.$/,
    );
  });

  it('[audit.cli.anchor] with an anchor it finds an end that was cut off', async () => {
    const { terminal, anchor } = await terminalWith([SIGN_IN, SIGN_IN, SIGN_IN]);
    inDatabase(
      terminal,
      'drop trigger audit_log_delete',
      'drop trigger audit_head_update',
      'delete from audit_log where number = 3',
      'update audit_head set number = 2, hash = (select hash from audit_log where number = 2)',
    );
    expect(await auditVerify(terminal)).toBe(0);
    expect(await auditVerify(terminal, anchor)).toBe(1);
    expect(terminal.text()).toContain('Row 3 of the audit log is broken. It is missing: there were 3 rows.');
    expect(await auditVerify(terminal, 'three')).toBe(1);
  });

  it('[audit.cli.list] lists the acts, also by account and time', async () => {
    const other: NewAuditEntry = {
      act: 'admin_reset',
      actor: null,
      clientIp: null,
      subject: 'x',
      details: { a: 1 },
    };
    const { terminal } = await terminalWith([SIGN_IN, other]);
    expect(await auditList(terminal, {})).toBe(0);
    expect(terminal.text()).toBe(
      [
        '2  2026-11-20T00:00:00.000Z  admin_reset  by -  from -  on x  {"a":1}',
        '1  2026-11-20T00:00:00.000Z  sign_in  by ann-id  from 192.0.2.1  on ann-id',
      ].join('\n'),
    );
    const { terminal: hers } = await terminalWith([SIGN_IN, other]);
    expect(await auditList(hers, { user: 'Ann@example.org', since: '2026-11-20' })).toBe(0);
    expect(await auditList(hers, { since: '2026-11-21' })).toBe(0);
    expect(hers.text()).toMatch(/^1 {2}2026\S* {2}sign_in .*$/);
    expect(await auditList(hers, { since: 'yesterday' })).toBe(1);
    expect(hers.text()).toContain(`'yesterday' is no time.`);
  });

  it('says why when there is no database to read', async () => {
    const terminal = await openTerminal({ DATABASE_URL: 'postgres://postgres@127.0.0.1:9/none' });
    expect(await auditVerify(terminal)).toBe(1);
    expect(await auditList(await openTerminal({ PORT: 'x' }), {})).toBe(1);
  });
});
