// What people claim to be theirs: fields that the service sets, what is nobody's, what is an administrator's.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNSCOPED } from '../../src/storage/storage.ts';
import { sampleRun } from '../storage/samples.ts';
import { signInAdministrator } from '../support/administrator.ts';
import { makeKey, withKey } from '../support/api-key.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, TEST_PASSWORD, type TestService } from '../support/service.ts';
import { sendFiles } from '../support/upload.ts';
import { CASES } from './cases.ts';
import { type Operation, operationsOf } from './operations.ts';

let service: TestService;
let admin: HttpClient;
let ann: HttpClient;
let bob: HttpClient;
let operations: readonly Operation[];
beforeAll(async () => {
  service = await openTestService();
  service.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
  admin = await signInAdministrator(service);
  ann = await service.user('ann');
  bob = await service.user('bob');
  operations = await operationsOf(ann);
});
afterAll(() => service.close());

const idOf = async (client: HttpClient) => (await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'))).id;

/** `asked`: method and address. */
function sendText(client: HttpClient, asked: string, body: string): Promise<Response> {
  const [method = '', address = ''] = asked.split(' ');
  return client.send(method, address, { body, headers: { 'content-type': 'application/json' } });
}

describe('fields that the service sets', () => {
  /** Every field that says whose a record is, or what became of it, in the ways in which one may try to set it. */
  async function claims() {
    const bobs = await idOf(bob);
    const own = {
      user_id: bobs,
      owner_id: bobs,
      User_Id: 'mallory',
      'thread.user_id': 'mallory',
      userId: 'mallory',
      status: 'error',
      created_at: '1999-01-01T00:00:00Z',
      updated_at: '1999-01-01T00:00:00Z',
      system_role: 'admin',
      constructor: { prototype: { user_id: bobs, system_role: 'admin' } },
    };
    const thread = { ...own, thread: own, run: own, values: { ...own, status: 'error' } };
    const text = JSON.stringify({ ...thread, metadata: { kept: 1, user_id: bobs, owner_id: bobs } });
    return { bobs, text: `${text.slice(0, -1)},"__proto__":${JSON.stringify(own)}}` };
  }

  async function bobsThreads(): Promise<unknown> {
    return jsonOf(bob.post('/api/threads/search', { limit: 100 }));
  }

  it.each(['/api', '/api/graph'])(
    '[hostile.S32] %s: a thread is its maker’s, new and idle',
    async (prefix) => {
      const { bobs, text } = await claims();
      const before = await bobsThreads();
      const made = await sendText(ann, `POST ${prefix}/threads`, text);
      expect(made.status).toBe(200);
      const { thread_id } = await jsonOf<{ thread_id: string }>(made);
      expect((await sendText(ann, `PATCH ${prefix}/threads/${thread_id}`, text)).status).toBe(200);
      const shown = await jsonOf(ann.get(`${prefix}/threads/${thread_id}`));
      expect(shown).toMatchObject({ thread_id, status: 'idle', metadata: { kept: 1 } });
      expect(JSON.stringify(shown)).not.toMatch(`1999-01|mallory|${bobs}`);
      expect((await bob.get(`${prefix}/threads/${thread_id}`)).status).toBe(404);
      expect(await bobsThreads()).toEqual(before);
    },
  );

  it('[hostile.S32] runs, ratings, keys and states are their maker’s', async () => {
    const { bobs, text } = await claims();
    const threadId = await newThread(ann);
    const fields = { ...JSON.parse(text), ...question('hi', { metadata: { user_id: bobs, kept: 1 } }) };
    const runs = `/api/threads/${threadId}/runs`;
    const run = await jsonOf<RunJson>(ann.post(runs, fields, { accept: '*/*' }));
    await (await ann.get(`${runs}/${run.run_id}/join`)).text();
    const ended = await jsonOf(ann.get(`${runs}/${run.run_id}`));
    expect(ended).toMatchObject({ status: 'success', user_id: await idOf(ann), metadata: { kept: 1 } });
    const rating = { ...JSON.parse(text), rating: 1, feedback_id: 'mine' };
    const rated = await jsonOf(ann.put(`${runs}/${run.run_id}/feedback`, rating));
    expect(rated).toMatchObject({ user_id: await idOf(ann), run_id: run.run_id });
    const key = { ...JSON.parse(text), name: 'a program', scopes: ['read'], id: 'mine' };
    const made = await jsonOf(ann.post('/api/v1/auth/api-keys', key));
    const body = { values: { title: 'a title', user_id: bobs, status: 'error' } };
    const updated = await ann.post(`/api/threads/${threadId}/state`, body);
    const state = await (await ann.get(`/api/threads/${threadId}/state`)).text();
    const seen = JSON.stringify([ended, rated, made, state]);
    expect([updated.status, seen.includes('1999-01'), seen.includes(bobs)]).toEqual([422, false, false]);
    expect(await (await bob.get('/api/v1/auth/api-keys')).text()).not.toContain('a program');
    expect((await bob.get(`${runs}/${run.run_id}`)).status).toBe(404);
  });

  it('[hostile.S32] nobody becomes an administrator, and objects get no new fields', async () => {
    const { text } = await claims();
    const client = service.client();
    const account = { ...JSON.parse(text), id: await idOf(bob), needs_setup: true, token_version: 9 };
    const email = 'eve@example.com';
    const made = await client.post('/api/v1/auth/register', { ...account, email, password: TEST_PASSWORD });
    expect(made.status).toBe(201);
    const changed = await client.post('/api/v1/auth/change-email', {
      ...account,
      current_password: TEST_PASSWORD,
      new_email: 'eve2@example.com',
    });
    expect(changed.status).toBe(200);
    const me = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
    expect(me).toMatchObject({ system_role: 'user', needs_setup: false });
    expect(me.id).not.toBe(await idOf(bob));
    expect((await client.get('/api/audit')).status).toBe(403);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Reflect.get({}, 'system_role')).toBeUndefined();
  });
});

describe('two people who name and say the same', () => {
  it('[hostile.S34] each gets their own runs, files, prompts and states, also under one key and one ETag', async () => {
    const people = [
      { client: ann, secret: 'annssecret' },
      { client: bob, secret: 'bobssecret' },
    ];
    const key = { 'idempotency-key': 'the same key' };
    const seen = await Promise.all(
      people.map(async ({ client, secret }) => {
        const body = question('What is my word?', { on_completion: 'keep' });
        const run = await jsonOf<RunJson>(client.post('/api/graph/runs', body, key));
        const thread = `/api/threads/${run.thread_id}`;
        await (await client.get(`${thread}/runs/${run.run_id}/join`)).text();
        await client.post(`${thread}/state`, { values: { title: 'the same title' } });
        const file = { name: 'notes.txt', content: secret };
        await sendFiles(client, run.thread_id, [file]);
        await (await client.post(`${thread}/runs/wait`, question(`My word is ${secret}`))).text();
        await (await client.post(`${thread}/runs/wait`, question('What is my word?'))).text();
        const artifact = `${thread}/artifacts/mnt/user-data/uploads/notes.txt`;
        return {
          client,
          secret,
          run,
          artifact,
          etag: (await client.get(artifact)).headers.get('etag') ?? '',
        };
      }),
    );
    const [one, two] = seen;
    if (one === undefined || two === undefined) throw new Error('There are two people.');
    expect(one.run.thread_id).not.toBe(two.run.thread_id);
    expect(one.run.run_id).not.toBe(two.run.run_id);
    for (const [mine, theirs] of [
      [one, two],
      [two, one],
    ] as const) {
      const { client } = mine;
      const told = await client.get(theirs.artifact, { 'if-none-match': theirs.etag });
      expect([told.status, told.headers.get('etag')]).toEqual([404, null]);
      const own = await client.get(mine.artifact);
      expect([await own.text(), own.headers.get('cache-control')]).toEqual([
        mine.secret,
        'private, no-cache',
      ]);
      const answers = await Promise.all([
        client.post('/api/threads/search', { select: ['values', 'thread_id'] }),
        client.get(`/api/threads/${mine.run.thread_id}/state`),
        client.get(`/api/threads/${mine.run.thread_id}/messages`),
        client.get('/api/search?q=word'),
      ]);
      for (const text of await Promise.all(answers.map((it) => it.text()))) {
        expect(text).toContain(mine.run.thread_id);
        expect(text).not.toMatch(`${theirs.secret}|${theirs.run.thread_id}`);
      }
    }
    const prompts = service.model.requests.map(({ body }) => JSON.stringify(body));
    for (const { secret } of seen) expect(prompts.some((it) => it.includes(secret))).toBe(true);
    expect(prompts.filter((it) => seen.every(({ secret }) => it.includes(secret)))).toEqual([]);
  });
});

describe('what is nobody’s', () => {
  const IDS = { thread: 'shared', run: 'shared-run', checkpoint: 'x', message: 'x' };
  const NOBODYS = {
    ...IDS,
    apiKey: 'x',
    session: 'x',
    feedback: 'x',
    agent: 'x',
    skill: 'x',
    fact: 'x',
    schedule: 'x',
    task: 'x',
    user: 'x',
  };
  /** They change nothing, or are asked for below. */
  const READING = /\/(?:history|state\/checkpoint|stream\/events|copy|commands|prepare)$/;

  /** A valid request of the route about the shared thread. */
  function requestOf({ name, method, path }: Operation) {
    const { query = '', body, attacks = [] } = CASES[name] ?? {};
    const address = path
      .replace('{thread_id}', 'shared')
      .replace('{run_id}', 'shared-run')
      .replaceAll(/\{\w+\}/g, 'x');
    const sent = body ?? attacks[0]?.sent(NOBODYS).body ?? {};
    return { asked: `${method} ${address}?${query}`, text: JSON.stringify(sent) };
  }

  async function expectItCopiedAtMost(client: HttpClient): Promise<void> {
    expect(await jsonOf(client.get('/api/threads/shared'))).toMatchObject({ metadata: { topic: 'all' } });
    const claimed = { thread_id: 'shared', if_exists: 'do_nothing' };
    expect((await client.post('/api/threads', claimed)).status).toBe(409);
    const copied = await client.post('/api/threads/shared/copy');
    const { thread_id } = await jsonOf<{ thread_id: string }>(copied);
    expect(thread_id).not.toBe('shared');
    expect((await client.delete(`/api/threads/${thread_id}`)).status).toBe(200);
    expect((await sendFiles(client, 'shared', [{ name: 'a.txt', content: 'x' }])).status).toBe(404);
    for (const method of ['run.start', 'input.respond', 'input.inject']) {
      const command = { id: 1, method, params: { ...question('hi'), response: 'yes' } };
      const answered = await client.post('/api/graph/threads/shared/commands', command);
      expect(await answered.text()).not.toContain('success');
    }
  }

  it('[hostile.S31] [hostile.S35] everybody can read a shared thread, and nobody can write, end, rate or claim it', async () => {
    const shared = service.service.storage.as(UNSCOPED);
    const now = Date.now();
    await shared.threads.create({ threadId: 'shared', assistantId: null, metadata: { topic: 'all' }, now });
    await shared.runs.admit(sampleRun('shared-run', 'shared', { delayMs: 1e9, now }));
    const stored = async () => [
      await shared.threads.get('shared'),
      await shared.runs.list('shared', { limit: 9, offset: 0 }),
      await shared.threads.count({}),
    ];
    const before = await stored();
    expect(before[1]).toMatchObject([{ runId: 'shared-run', status: 'pending' }]);
    const writing = operations.filter(
      ({ method, path, isSocket }) =>
        path.includes('{thread_id}') && method !== 'GET' && !isSocket && !READING.test(path),
    );
    expect(writing.length).toBeGreaterThan(20);
    const open: unknown[] = [];
    const program = withKey(service.service.app, (await makeKey(ann)).key);
    for (const client of [ann, admin, program]) {
      for (const { asked, text } of writing.map(requestOf)) {
        const { status } = await sendText(client, asked, text);
        // What is no form is refused as an upload before its thread is looked for.
        if (status !== 404 && status !== 415) open.push([asked, status]);
      }
      await expectItCopiedAtMost(client);
    }
    expect(open).toEqual([]);
    expect(await stored()).toEqual(before);
  });
});

describe('what is an administrator’s', () => {
  it('[hostile.S36] is 403 for people and their keys and 401 without a session, on every route', async () => {
    const asked = operations.filter(({ path }) => /^\/api\/(?:admin|audit)\b/.test(path));
    expect(asked.map(({ name }) => name)).toEqual(['GET /api/audit', 'GET /api/admin/machine']);
    const { app } = service.service;
    const keys = [await makeKey(ann, { scopes: ['read'] }), await makeKey(ann)];
    const programs = keys.map(({ key }) => withKey(app, key));
    for (const { path } of asked) {
      for (const address of [path, `${path}?limit=1&user=x`]) {
        const answers = [];
        for (const client of [ann, ...programs, service.client(), withKey(app, 'no-key'), admin])
          answers.push((await client.get(address)).status);
        expect(answers).toEqual([403, 403, 403, 401, 401, 200]);
      }
      // There is no way to change anything.
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        expect(
          (await sendText(ann, `${method} ${path}`, '{}')).status,
          `${method} ${path}`,
        ).toBeGreaterThanOrEqual(403);
    }
  });

  it('[hostile.S36] models, agents and people cannot be created, changed or listed over HTTP', async () => {
    const absent = ['POST /api/models', 'PUT /api/models/scripted', 'DELETE /api/models/scripted'];
    const users = ['GET /api/users', 'GET /api/v1/auth/users', 'PATCH /api/v1/auth/me'];
    const asked = [...absent, ...users].flatMap((it) => [ann, admin].map((client) => [it, client] as const));
    for (const [it, client] of asked) {
      const [method = '', path = ''] = it.split(' ');
      expect([404, 405], it).toContain((await client.send(method, path)).status);
    }
    const changes = [ann, admin].flatMap((client) => [
      client.post('/api/assistants', { graph_id: 'lead_agent', assistant_id: 'mine' }),
      client.patch('/api/assistants/lead_agent', { name: 'mine' }),
      client.delete('/api/assistants/lead_agent'),
    ]);
    for (const { status } of await Promise.all(changes)) expect(status).toBeGreaterThanOrEqual(400);
    const again = { email: 'mallory@example.com', password: TEST_PASSWORD };
    expect((await service.client().post('/api/v1/auth/initialize', again)).status).toBe(409);
  });
});
