// What is in the audit log after people did things, and what happens when it cannot be written.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authOptionsSchema } from '../../src/auth/auth-options.ts';
import { createAuth } from '../../src/auth/create-auth.ts';
import { resetAdmin } from '../../src/auth/reset-admin.ts';
import { unavailable } from '../../src/errors.ts';
import type { AuditLog } from '../../src/storage/audit-log.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { bodyOf } from '../support/http-client.ts';
import { GOOD_PASSWORD, openTestApp, type TestApp } from '../support/test-app.ts';

const STRONG_SECRET = 'bQ3vX9mT-Kd72LrYwZ0cHs5fNj8pGu4eR6';

const ANN = { email: 'ann@example.com', password: GOOD_PASSWORD };
const AUTH = '/api/v1/auth';

let broken: boolean;
let service: TestApp;
beforeEach(async () => {
  broken = false;
  service = await openTestApp({ storage: withFragileAudit });
});
afterEach(() => service.close());

/** Appending alone fails while `broken`; what is appended with a change is not touched by this. */
function withFragileAudit(real: Storage): Storage {
  const audit: AuditLog = {
    ...real.audit,
    append: (entry) => (broken ? Promise.reject(unavailable('no disk')) : real.audit.append(entry)),
  };
  return { ...real, audit };
}

/** Oldest first. */
async function acts() {
  return (await service.storage.audit.list({ limit: 100 })).entries.toReversed();
}

async function idOf(email: string): Promise<string> {
  return (await service.storage.users.findByEmail(email))?.id ?? 'nobody';
}

describe('acts', () => {
  it('[audit.acts.sign-in] registering, signing in and out are rows with who and from where', async () => {
    const ann = service.client();
    await ann.register(ANN);
    const id = await idOf(ANN.email);
    service.peer.address = '198.51.100.7';
    await ann.signIn(ANN);
    await ann.post(`${AUTH}/logout`);
    await ann.post(`${AUTH}/logout`);
    expect(await acts()).toMatchObject([
      { act: 'register', actor: id, subject: id, clientIp: '192.0.2.10' },
      { act: 'sign_in', actor: id, subject: id, clientIp: '198.51.100.7' },
      { act: 'sign_out', actor: id, subject: id, clientIp: '198.51.100.7' },
    ]);
  });

  it('[audit.acts.sign-in-failed] failures and the lockout are rows; refused attempts and what was typed are not', async () => {
    await service.client().register(ANN);
    const id = await idOf(ANN.email);
    for (let count = 0; count < 4; count++) await service.client().signIn({ ...ANN, password: 'wrong-one' });
    for (let count = 0; count < 3; count++)
      await service.client().signIn({ email: 'my-secret-password', password: 'wrong-one' });
    const failed = { act: 'sign_in_failed', actor: null, clientIp: '192.0.2.10' };
    expect((await acts()).slice(1)).toMatchObject([
      ...Array(4).fill({ ...failed, subject: id }),
      { ...failed, subject: null },
      { act: 'lockout', actor: null, subject: null, clientIp: '192.0.2.10' },
    ]);
  });

  it('[audit.acts.accounts] setting up and changing an account are rows, refused changes are not', async () => {
    const admin = service.client();
    await admin.post(`${AUTH}/initialize`, ANN);
    await admin.post(`${AUTH}/initialize`, ANN);
    const change = { current_password: GOOD_PASSWORD, new_password: 'another good one' };
    await admin.post(`${AUTH}/change-password`, { ...change, current_password: 'wrong-one' });
    await admin.post(`${AUTH}/change-password`, change);
    const current_password = change.new_password;
    await admin.post(`${AUTH}/change-email`, { current_password, new_email: 'new@example.com' });
    const id = await idOf('new@example.com');
    const mine = { actor: id, subject: id, clientIp: '192.0.2.10' };
    expect(await acts()).toMatchObject([
      { ...mine, act: 'initialize' },
      { ...mine, act: 'password_change' },
      { ...mine, act: 'email_change' },
    ]);
  });

  it('[audit.acts.operator] what the start and the command line do has no actor', async () => {
    const { storage, auth, dataHome } = service;
    await auth.bootstrap();
    await resetAdmin({ users: storage.users, dataHome });
    const subject = await idOf('admin@localhost.local');
    const operator = { actor: null, clientIp: null, subject };
    expect(await acts()).toMatchObject([
      { ...operator, act: 'admin_create' },
      { ...operator, act: 'admin_reset' },
    ]);
  });

  it('[audit.acts.configuration] a start with another configuration names what changed, and no value', async () => {
    const start = async (configuration: Record<string, unknown>) => {
      const options = authOptionsSchema.parse({ jwt_secret: STRONG_SECRET });
      const { storage, dataHome } = service;
      const log = { info() {}, warn() {}, error() {}, debug() {} };
      await (await createAuth({ storage, dataHome, options, configuration, log })).bootstrap();
    };
    const before = {
      models: [{ name: 'm', api_key: 'sk-very-secret' }],
      log: { level: 'info', format: 'json' },
    };
    await start(before);
    await start({ log: { format: 'json', level: 'info' }, models: [...before.models] });
    await start({ ...before, models: [{ name: 'm', api_key: 'sk-rotated' }], runs: {} });
    const rows = (await acts()).filter(({ act }) => act === 'configuration_change');
    expect(rows.map(({ details }) => details.changed)).toEqual([
      ['log', 'models'],
      ['models', 'runs'],
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/sk-|json/);
  });

  it('[audit.acts.thread-deletion] deleting a thread is a row with the address it came from', async () => {
    const ann = await service.user('ann');
    const created = await ann.post('/api/threads', {});
    const { thread_id } = await bodyOf<{ thread_id: string }>(created);
    await ann.delete(`/api/threads/${thread_id}`);
    await ann.delete(`/api/threads/${thread_id}`);
    expect((await acts()).slice(1)).toMatchObject([
      { act: 'thread_delete', subject: thread_id, clientIp: '192.0.2.10', actor: await idOf(ANN.email) },
    ]);
  });

  it('[audit.acts.api-keys] making, using for the first time on a day, and revoking a key are rows', async () => {
    const ann = await service.user('ann');
    const made = await ann.post(`${AUTH}/api-keys`, { name: GOOD_PASSWORD, scopes: ['read'] });
    const { key, id: key_id } = await bodyOf<{ key: string; id: string }>(made);
    const use = async (rows: number) => {
      const before = service.clock.now;
      service.peer.address = '198.51.100.8';
      await service.client().get('/api/v1/auth/me', { authorization: `Bearer ${key}` });
      await service.client().post('/api/threads/search', {}, { authorization: `Bearer ${key}` });
      const seen = async () => {
        const used = (await service.storage.as(await idOf(ANN.email)).apiKeys.list())[0]?.lastUsedAt;
        return [used, (await acts()).length];
      };
      await expect.poll(seen).toEqual([before, rows]);
    };
    await use(3);
    service.clock.now += 3_600_000;
    await use(3);
    service.clock.now += 86_400_000;
    await use(4);
    service.peer.address = '192.0.2.10';
    await ann.delete(`${AUTH}/api-keys/${key_id}`);
    const mine = { actor: await idOf(ANN.email), subject: key_id };
    const rows = (await acts()).slice(1);
    expect(rows).toMatchObject([
      { ...mine, act: 'api_key_create', clientIp: '192.0.2.10' },
      { ...mine, act: 'api_key_use', clientIp: '198.51.100.8' },
      { ...mine, act: 'api_key_use', clientIp: '198.51.100.8' },
      { ...mine, act: 'api_key_revoke', clientIp: '192.0.2.10' },
    ]);
    for (const secret of [key, key.slice(0, 9), GOOD_PASSWORD])
      expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('[audit.no-secrets] no password, token or e-mail of all this is in any row', async () => {
    const ann = service.client();
    await ann.register(ANN);
    const tokens = [ann.cookies.get('access_token'), ann.cookies.get('csrf_token')];
    await ann.signIn({ ...ANN, password: 'a wrong password' });
    await ann.signIn(ANN);
    await ann.post(`${AUTH}/change-password`, {
      current_password: GOOD_PASSWORD,
      new_password: 'another good one',
      new_email: 'new@example.com',
    });
    tokens.push(ann.cookies.get('access_token'), ann.cookies.get('csrf_token'));
    await ann.post(`${AUTH}/logout`);
    const text = JSON.stringify(await acts());
    const hash = (await service.storage.users.findByEmail('new@example.com'))?.passwordHash;
    for (const secret of [
      GOOD_PASSWORD,
      'a wrong password',
      'another good one',
      'example.com',
      hash,
      ...tokens,
    ]) {
      expect(secret).toBeTruthy();
      expect(text).not.toContain(secret);
    }
  });
});

describe('while the audit log cannot be written', () => {
  it('[audit.fail-closed.sign-in] nobody signs in, and right and wrong passwords get the same answer', async () => {
    await service.client().register(ANN);
    broken = true;
    const right = service.client();
    const answers = [
      await right.signIn(ANN),
      await service.client().signIn({ ...ANN, password: 'wrong-one' }),
      await service.client().signIn({ ...ANN, email: 'nobody@example.com' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(right.cookies.size).toBe(0);
    broken = false;
    expect((await right.signIn(ANN)).status).toBe(200);
  });

  it('[audit.fail-closed.sign-in] failures count all the same', async () => {
    await service.client().register(ANN);
    broken = true;
    for (let count = 0; count < 5; count++) await service.client().signIn({ ...ANN, password: 'wrong-one' });
    expect((await service.client().signIn(ANN)).status).toBe(429);
  });

  it('[audit.sign-out] signing out works, and the log of the service says what is missing', async () => {
    const ann = await service.user('ann');
    broken = true;
    expect((await ann.post(`${AUTH}/logout`)).status).toBe(200);
    expect(ann.cookies.size).toBe(0);
    const complaint = service.lines.find(({ level }) => level === 'error');
    expect(complaint).toMatchObject({
      message: 'the audit log could not be written',
      fields: { act: 'sign_out', actor: await idOf(ANN.email) },
    });
  });
});
