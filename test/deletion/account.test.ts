// Deletion of an account, and of a thread: what is left of them, in every table and file there is.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexedWith, rowsWith } from '../support/every-table.ts';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { openTestService, question, TEST_PASSWORD, type TestService } from '../support/service.ts';
import { skillText } from '../support/skill-files.ts';
import { installSlowly, skillPackage } from '../support/skill-package.ts';
import { branchedThread, contentsOf } from '../transfer/conversation.ts';

let dataHome: string;
let database: string;
let test: TestService;
let clock: { ahead: number };
beforeEach(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  database = join(dataHome, 'service.db');
  clock = { ahead: 0 };
  test = await open();
});
afterEach(async () => {
  await test.close();
  await rm(dataHome, { recursive: true, force: true });
});

const open = () =>
  openTestService({
    dataHome,
    config: { database: { url: `sqlite:${database}` } },
    overrides: { now: () => Date.now() + clock.ahead },
  });

const idOf = async (client: HttpClient) =>
  (await bodyOf<{ id: string }>(await client.get('/api/v1/auth/me'))).id;
const remove = (client: HttpClient, password = TEST_PASSWORD) =>
  client.send('DELETE', '/api/v1/auth/me', {
    body: JSON.stringify({ password }),
    headers: { 'content-type': 'application/json' },
  });
const audited = (row: string) => row.startsWith('audit_log:');

/** Whatever file of the data home says one of the texts; databases are looked into as such. */
async function filesWith(texts: readonly string[]): Promise<readonly string[]> {
  const names = await readdir(dataHome, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.name.startsWith('service.db'));
  const found: string[] = [];
  for (const { parentPath, name } of files) {
    const text = `${parentPath}/${name}\n${await readFile(join(parentPath, name), 'latin1')}`;
    if (texts.some((it) => text.includes(it))) found.push(name);
  }
  return found;
}

/** A person with a thread that has everything: rated, copied, searchable, with files, a key and usage. */
async function person(name: string) {
  const client = await test.user(name);
  const threadId = await branchedThread(test, client);
  const [run] = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=1`));
  const rating = { rating: 1, comment: `said ${name}` };
  await client.put(`/api/threads/${threadId}/runs/${run?.run_id}/feedback`, rating);
  await client.post('/api/v1/auth/api-keys', { name: `key of ${name}` });
  await client.post('/api/agents', { name: 'mine', soul: `soul of ${name}` });
  const schedule = {
    name: 'tea',
    prompt: `prompt of ${name}`,
    run_at: '2036-01-01T00:00:00Z',
    thread_id: threadId,
  };
  const { schedule_id: id } = await jsonOf<{ schedule_id: string }>(client.post('/api/schedules', schedule));
  await client.post(`/api/schedules/${id}/run`);
  await client.post('/api/memory/facts', { content: `fact of ${name}` });
  await client.patch('/api/memory/config', { user_enabled: false });
  const keyed = { 'content-type': 'application/json', 'idempotency-key': `of-${name}` };
  await client.send('POST', `/api/graph/threads/${threadId}/runs/wait`, {
    body: JSON.stringify(question(`canary${name}`)),
    headers: keyed,
  });
  return { client, threadId, id: await idOf(client) };
}

describe('the deletion of a thread', () => {
  it('[threads.delete.everywhere] leaves no row in any table and no file but the word of the audit log', async () => {
    const { client, threadId } = await person('ann');
    await person('bob');
    expect(rowsWith(database, [threadId]).length).toBeGreaterThan(20);
    expect(indexedWith(database, 'canaryann')).toBeGreaterThan(0);
    expect((await client.delete(`/api/threads/${threadId}`)).status).toBe(200);
    const left = rowsWith(database, [threadId, 'canaryann', 'said ann']);
    expect(left.filter((row) => !audited(row))).toEqual([]);
    expect(left.filter(audited)).toHaveLength(1);
    expect(indexedWith(database, 'canaryann')).toBe(0);
    expect(indexedWith(database, 'canarybob')).toBeGreaterThan(0);
    await expect.poll(() => filesWith([threadId])).toEqual([]);
  });
});

describe('the deletion of an account', () => {
  it('[account.delete.everywhere] leaves no row in any table and no file but the words of the audit log', async () => {
    const ann = await person('ann');
    const bob = await person('bob');
    const copy = await jsonOf<{ thread_id: string }>(ann.client.post(`/api/threads/${ann.threadId}/copy`));
    const tables = new Set(rowsWith(database, [ann.id]).map((row) => row.split(':')[0]));
    for (const table of [
      'agents',
      'agent_versions',
      'memories',
      'memory_switches',
      'schedules',
      'schedule_fires',
    ])
      expect(tables).toContain(table);
    expect((await remove(ann.client)).status).toBe(200);
    const said = [
      ann.id,
      ann.threadId,
      copy.thread_id,
      'ann@example.com',
      'canaryann',
      'said ann',
      'key of ann',
      'soul of ann',
      'prompt of ann',
      'fact of ann',
    ];
    const rest = () => rowsWith(database, said).filter((row) => !audited(row));
    // The note stays until requests that had begun before are over.
    await expect.poll(rest).toEqual([expect.stringMatching(/^account_removals: /)]);
    await expect.poll(() => filesWith(said)).toEqual([]);
    expect(indexedWith(database, 'canaryann')).toBe(0);
    expect((await contentsOf(bob.client, bob.threadId)).at(-2)).toBe('canarybob');
    clock.ahead = 61_000;
    await test.close();
    test = await open();
    await expect.poll(rest).toEqual([]);
    // Ids and acts, no address, no content.
    expect(rowsWith(database, said.slice(3)).filter(audited)).toEqual([]);
    expect(rowsWith(database, [ann.id]).some((row) => row.includes('account_delete'))).toBe(true);
  });

  it('[account.delete.sessions] ends every session and key immediately, and frees the e-mail', async () => {
    const { client } = await person('ann');
    const { key } = await jsonOf<{ key: string }>(client.post('/api/v1/auth/api-keys', { name: 'k' }));
    const elsewhere = test.client();
    await elsewhere.signIn({ email: 'ann@example.com', password: TEST_PASSWORD });
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    expect((await remove(client)).status).toBe(200);
    expect(client.cookies.has('access_token')).toBe(false);
    for (const request of [
      elsewhere.get('/api/v1/auth/me'),
      test.client().get('/api/v1/auth/me', { cookie }),
    ]) {
      const answer = await request;
      expect([answer.status, await detailOf(answer)]).toMatchObject([401, { code: 'user_not_found' }]);
    }
    const byKey = await test.client().get('/api/v1/auth/me', { authorization: `Bearer ${key}` });
    expect(byKey.status).toBe(401);
    const again = { email: 'ann@example.com', password: TEST_PASSWORD };
    expect((await test.client().register(again)).status).toBe(201);
  });

  it('[account.delete.confirm] needs the password and a session; the last administrator stays', async () => {
    const client = await test.user();
    const wrong = await remove(client, 'not the password');
    expect([wrong.status, await detailOf(wrong)]).toMatchObject([400, { code: 'invalid_credentials' }]);
    const { key } = await jsonOf<{ key: string }>(
      client.post('/api/v1/auth/api-keys', { name: 'k', scopes: ['read', 'write'] }),
    );
    const byKey = await test.client().send('DELETE', '/api/v1/auth/me', {
      body: JSON.stringify({ password: TEST_PASSWORD }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    expect(byKey.status).toBe(403);
    const text = await readFile(join(dataHome, 'admin_initial_credentials.txt'), 'utf8');
    const password = /^password: (\S+)$/m.exec(text)?.[1] ?? '';
    const email = /^email: (\S+)$/m.exec(text)?.[1] ?? 'admin@localhost.local';
    const admin = test.client();
    expect((await admin.signIn({ email, password })).status).toBe(200);
    const last = await remove(admin, password);
    expect([last.status, await detailOf(last)]).toEqual([409, expect.stringContaining('last administrator')]);
    expect((await admin.get('/api/v1/auth/me')).status).toBe(200);
  });

  it('[auth.confirm.lockout] passwords are not to be guessed here', async () => {
    const client = await test.user();
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await remove(client, `a guess ${n}`)).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  });

  it('[account.delete.skills] takes skills and their switches along, and an installation under way brings none back', async () => {
    const { client, id } = await person('ann');
    for (const name of ['tea', 'cake']) await client.post('/api/skills', { content: skillText(name) });
    await client.post('/api/skills/tea/disable');
    await client.delete('/api/skills/cake');
    expect(rowsWith(database, [id]).filter((row) => row.startsWith('skill_switches'))).toHaveLength(1);
    const installing = installSlowly(client, await skillPackage('late'));
    await installing.begun;
    expect((await remove(client)).status).toBe(200);
    await expect.poll(() => filesWith([id])).toEqual([]);
    // Longer than the service looks again for what requests have written that had begun before.
    clock.ahead = 61_000;
    installing.finish();
    const answer = await installing.answer;
    expect([answer.status, await detailOf(answer)]).toMatchObject([401, { code: 'user_not_found' }]);
    expect(await readdir(join(dataHome, 'users'))).not.toContain(id);
    expect(await readdir(join(dataHome, 'tmp'))).toEqual([]);
    expect(rowsWith(database, [id]).filter((row) => row.startsWith('skill_'))).toEqual([]);
  });

  it('[account.delete.active] cancels active runs', async () => {
    const { client, threadId, id } = await person('ann');
    test.model.onRequest(() => new Promise(() => {}));
    await client.post(`/api/graph/threads/${threadId}/runs`, question('never answered'));
    expect((await remove(client)).status).toBe(200);
    await expect.poll(() => rowsWith(database, [threadId]).filter((row) => !audited(row))).toEqual([]);
    await expect.poll(() => filesWith([id])).toEqual([]);
  });
});
