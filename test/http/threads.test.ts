// Threads under both prefixes: create, search, count, get, patch, delete.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Repositories, UNSCOPED } from '../../src/storage/storage.ts';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

interface Thread {
  readonly thread_id: string;
  readonly metadata: Record<string, unknown>;
  readonly values: Record<string, unknown>;
  readonly updated_at: string;
}

const PREFIXES = ['/api', '/api/graph'] as const;
const FIELDS = [
  'config',
  'created_at',
  'interrupts',
  'metadata',
  'status',
  'thread_id',
  'updated_at',
  'values',
];

let service: TestApp;
let ann: HttpClient;
let removed: string[];
let cancelled: string[];
let beforeDeletion: (() => Promise<void>) | undefined;
beforeEach(async () => {
  beforeDeletion = undefined;
  removed = [];
  cancelled = [];
  service = await openTestApp({
    removeFiles: async (thread) => {
      removed.push(thread.threadId);
    },
    storage: (real) => ({ ...real, as: (owner) => withDelayedDeletion(real.as(owner)) }),
    threads: {
      cancelRuns: async ({ runs }, threadId) => {
        cancelled.push(threadId);
        const now = service.clock.now;
        await runs.cancel(`run-of-${threadId}`, {
          action: 'interrupt',
          stopReason: 'interrupted_by_user',
          now,
        });
      },
    },
    app: {
      threadStates: {
        show: async (_, thread) =>
          thread.threadId === 'talked'
            ? { values: { messages: [{ type: 'human', content: 'hello' }] }, interrupts: {} }
            : null,
        requireShowable: async () => {},
        matching: async () => [],
        valuesOf: async () => ({}),
        update: async () => Promise.reject(new Error('This test has no thread states.')),
      },
    },
  });
  ann = await service.user('ann');
});
afterEach(() => service.close());

/** Delays a deletion that has checked its thread and removed nothing yet. */
function withDelayedDeletion(own: Repositories): Repositories {
  const remove: Repositories['threads']['delete'] = async (...asked) => {
    const before = beforeDeletion;
    beforeDeletion = undefined;
    await before?.();
    return own.threads.delete(...asked);
  };
  return { ...own, threads: { ...own.threads, delete: remove } };
}

async function create(client: HttpClient, fields: object, prefix = '/api'): Promise<Thread> {
  const answer = await client.post(`${prefix}/threads`, fields);
  expect(answer.status).toBe(200);
  return await bodyOf<Thread>(answer);
}

async function titled(threadId: string, displayName: string): Promise<void> {
  const record = await service.storage.users.findByEmail('ann@example.com');
  const { threads } = service.storage.as(record?.id ?? '');
  await threads.update(threadId, { displayName, now: service.clock.now });
}

/** Makes the thread busy as a run does. */
async function startRun(threadId: string): Promise<void> {
  const record = await service.storage.users.findByEmail('ann@example.com');
  const outcome = await service.storage.as(record?.id ?? '').runs.admit({
    runId: `run-of-${threadId}`,
    threadId,
    assistantId: 'lead_agent',
    metadata: {},
    kwargs: {},
    multitaskStrategy: 'reject',
    events: [],
    now: service.clock.now,
  });
  expect(outcome).toMatchObject({ kind: 'admitted', run: { status: 'pending' } });
}

describe.each(PREFIXES)('%s', (prefix) => {
  it('[threads.create] [threads.hidden-fields] [threads.timestamps] returns the record', async () => {
    const answer = await ann.post(`${prefix}/threads`, {
      metadata: { topic: 'tea' },
      assistant_id: 'lead_agent',
    });
    expect(answer.status).toBe(200);
    const thread = await bodyOf<Thread>(answer);
    expect(Object.keys(thread).sort()).toEqual(FIELDS);
    expect(thread).toMatchObject({
      status: 'idle',
      created_at: '2026-11-20T21:00:00.000+00:00',
      updated_at: '2026-11-20T21:00:00.000+00:00',
      metadata: { topic: 'tea' },
      interrupts: {},
    });
    expect(thread.thread_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    expect(await bodyOf(await ann.get(`${prefix}/threads/${thread.thread_id}`))).toEqual(thread);
  });

  it('[threads.create.idempotent] [threads.create.id] a given id is kept, and creating it again returns the record', async () => {
    const first = await create(ann, { thread_id: 'My_thread-1', metadata: { a: 1 } }, prefix);
    service.clock.now += 1000;
    expect(await create(ann, { thread_id: 'My_thread-1', metadata: { a: 2 } }, prefix)).toEqual(first);
  });

  it('[threads.create.taken] [threads.create.if-exists] a taken id is a conflict without a reason', async () => {
    const bob = await service.user('bob');
    await create(bob, { thread_id: 'bobs' });
    await create(ann, { thread_id: 'anns' });
    const foreign = await ann.post(`${prefix}/threads`, { thread_id: 'bobs' });
    const own = await ann.post(`${prefix}/threads`, { thread_id: 'anns', if_exists: 'raise' });
    expect([foreign.status, own.status]).toEqual([409, 409]);
    expect(await foreign.text()).toBe(await own.text());
    await create(ann, { thread_id: 'anns', if_exists: 'do_nothing' }, prefix);
  });

  it.each(['../x', '', 'x'.repeat(65), 'a b', 'é', 'a/b', 'a\u0000'])(
    '[threads.create.id] the id %j is 422 everywhere',
    async (id) => {
      expect((await ann.post(`${prefix}/threads`, { thread_id: id })).status).toBe(422);
      expect((await ann.post(`${prefix}/threads/search`, { ids: [id] })).status).toBe(422);
      if (id === '' || id === '../x') return;
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const path = `${prefix}/threads/${encodeURIComponent(id)}`;
        const answer = await ann.send(method, path, method === 'PATCH' ? { body: '{}' } : {});
        expect(answer.status).toBe(422);
        const [issue] = await detailOf<{ loc: string[] }[]>(answer);
        expect(issue?.loc).toEqual(['path', 'thread_id']);
      }
    },
  );

  it('[hostile.S32] [threads.reserved-keys] owner_id and user_id are removed', async () => {
    const metadata = { user_id: 'x', owner_id: 'y', User_Id: 'kept', nested: { user_id: 'kept' } };
    const kept = { User_Id: 'kept', nested: { user_id: 'kept' } };
    const thread = await create(ann, { metadata }, prefix);
    expect(thread.metadata).toEqual(kept);
    const patched = await ann.patch(`${prefix}/threads/${thread.thread_id}`, { metadata });
    expect((await bodyOf<Thread>(patched)).metadata).toEqual(kept);
    expect((await service.storage.as(UNSCOPED).threads.get(thread.thread_id))?.userId).not.toBe('x');
  });

  it('[threads.reserved-keys] a copy has no owner in its metadata', async () => {
    const thread = await create(ann, { metadata: { topic: 'a' } }, prefix);
    const stored = { metadata: { user_id: 'x', owner_id: 'y' }, now: 1 };
    await service.storage.as(UNSCOPED).threads.update(thread.thread_id, stored);
    const copied = await ann.post(`${prefix}/threads/${thread.thread_id}/copy`);
    expect((await bodyOf<Thread>(copied)).metadata).toEqual({ topic: 'a' });
  });

  it('[http.null] null counts as absent and unknown keys are ignored', async () => {
    const thread = await create(
      ann,
      { thread_id: null, metadata: null, if_exists: null, supersteps: [], ttl: { ttl: 5 } },
      prefix,
    );
    expect(thread.metadata).toEqual({});
    expect(
      (await ann.post(`${prefix}/threads/search`, { status: null, limit: null, extract: {} })).status,
    ).toBe(200);
  });

  it('[threads.patch] merges the metadata and raises updated_at', async () => {
    await create(ann, { thread_id: 't', metadata: { a: 1, b: { c: 1 } } });
    service.clock.now += 5000;
    const answer = await ann.patch(`${prefix}/threads/t`, { metadata: { b: { d: 2 }, e: null } });
    expect(answer.status).toBe(200);
    expect(await bodyOf(answer)).toMatchObject({
      metadata: { a: 1, b: { d: 2 }, e: null },
      updated_at: '2026-11-20T21:00:05.000+00:00',
    });
    expect((await ann.patch(`${prefix}/threads/absent`, { metadata: {} })).status).toBe(404);
  });

  it('[threads.delete] removes the thread with its files; a second delete is 404', async () => {
    await create(ann, { thread_id: 't' });
    const answer = await ann.delete(`${prefix}/threads/t`);
    if (prefix === '/api') {
      expect(answer.status).toBe(200);
      expect(await bodyOf(answer)).toEqual({ success: true, message: expect.any(String) });
    } else {
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    }
    expect(removed).toEqual(['t']);
    expect(await bodyOf(await ann.post(`${prefix}/threads/search`, {}))).toEqual([]);
    expect((await ann.delete(`${prefix}/threads/t`)).status).toBe(404);
  });

  it('[threads.delete.busy] refuses while a run is active, unless it is forced', async () => {
    await create(ann, { thread_id: 't' });
    await startRun('t');
    const refused = await ann.delete(`${prefix}/threads/t`);
    expect([refused.status, await detailOf(refused)]).toEqual([
      409,
      expect.stringContaining('run is active'),
    ]);
    expect(removed).toEqual([]);
    expect((await ann.delete(`${prefix}/threads/t?force=perhaps`)).status).toBe(422);
    expect((await ann.delete(`${prefix}/threads/t?force=false`)).status).toBe(409);
    expect((await ann.delete(`${prefix}/threads/t?force=true`)).status).toBeLessThan(300);
    expect([cancelled, removed]).toEqual([['t'], ['t']]);
    expect((await ann.get(`${prefix}/threads/t`)).status).toBe(404);
  });

  it('[threads.delete.race] a run that is created during the deletion is not lost: 409, or it is cancelled, too', async () => {
    await create(ann, { thread_id: 't' });
    beforeDeletion = () => startRun('t');
    const refused = await ann.delete(`${prefix}/threads/t`);
    expect([refused.status, await detailOf(refused)]).toEqual([
      409,
      expect.stringContaining('run is active'),
    ]);
    expect(await bodyOf(await ann.get(`${prefix}/threads/t`))).toMatchObject({ status: 'busy' });
    await create(ann, { thread_id: 'forced' });
    beforeDeletion = () => startRun('forced');
    expect((await ann.delete(`${prefix}/threads/forced?force=true`)).status).toBeLessThan(300);
    expect(cancelled).toEqual(['forced']);
    expect((await ann.get(`${prefix}/threads/forced`)).status).toBe(404);
  });

  it("[threads.foreign] another user's thread is an absent one on every route", async () => {
    const bob = await service.user('bob');
    await create(bob, { thread_id: 'bobs', metadata: { secret: 'canary' } });
    for (const [method, body] of [['GET'], ['PATCH', '{"metadata":{}}'], ['DELETE']] as const) {
      const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
      const foreign = await ann.send(method, `${prefix}/threads/bobs`, init);
      const absent = await ann.send(method, `${prefix}/threads/absent`, init);
      expect([method, foreign.status]).toEqual([method, 404]);
      expect(await foreign.text()).toBe(await absent.text());
    }
    expect(await bodyOf(await ann.post(`${prefix}/threads/search`, { ids: ['bobs'] }))).toEqual([]);
    expect(await bodyOf(await ann.post(`${prefix}/threads/count`, {}))).toBe(0);
    expect((await bob.get(`${prefix}/threads/bobs`)).status).toBe(200);
  });

  it('[threads.ownerless] an ownerless thread is shared for reading only', async () => {
    await service.storage
      .as(UNSCOPED)
      .threads.create({ threadId: 'shared', metadata: {}, assistantId: null, now: 1 });
    expect((await ann.get(`${prefix}/threads/shared`)).status).toBe(200);
    expect(await bodyOf(await ann.post(`${prefix}/threads/count`, {}))).toBe(1);
    expect((await ann.patch(`${prefix}/threads/shared`, { metadata: { mine: 1 } })).status).toBe(404);
    expect((await ann.delete(`${prefix}/threads/shared`)).status).toBe(404);
    expect(removed).toEqual([]);
  });

  it('[threads.title] the title is values.title', async () => {
    await create(ann, { thread_id: 't' });
    await titled('t', 'Tea for two');
    const [found] = await bodyOf<Thread[]>(await ann.post(`${prefix}/threads/search`, {}));
    expect(found?.values).toEqual({ title: 'Tea for two' });
    expect((await bodyOf<Thread>(await ann.get(`${prefix}/threads/t`))).values).toEqual({
      title: 'Tea for two',
    });
  });

  it('[threads.search.select] select names the returned fields', async () => {
    await create(ann, { thread_id: 't', metadata: { a: 1 } });
    const answer = await ann.post(`${prefix}/threads/search`, {
      select: ['thread_id', 'metadata', 'unknown'],
    });
    expect(await bodyOf(answer)).toEqual([{ thread_id: 't', metadata: { a: 1 } }]);
  });

  it('[threads.bodies.empty] an absent body is read as an empty one', async () => {
    expect((await ann.post(`${prefix}/threads`)).status).toBe(200);
    expect(await bodyOf<Thread[]>(await ann.post(`${prefix}/threads/search`))).toHaveLength(1);
    expect(await bodyOf<number>(await ann.post(`${prefix}/threads/count`))).toBe(1);
  });

  it('[threads.search.defaults] the default page and the bounds', async () => {
    for (let count = 0; count < 12; count += 1) await create(ann, {}, prefix);
    const search = async (fields: object) => ann.post(`${prefix}/threads/search`, fields);
    const page = await search({});
    expect(await bodyOf<Thread[]>(page)).toHaveLength(prefix === '/api' ? 12 : 10);
    for (const limit of [0, 1001, -1, 1.5, '10', 1e9]) expect((await search({ limit })).status).toBe(422);
    for (const offset of [-1, 0.5, 'x']) expect((await search({ offset })).status).toBe(422);
    for (const limit of [1, 1000]) expect((await search({ limit })).status).toBe(200);
  });
});

describe('runtime', () => {
  it('[threads.values] a single thread shows its state, a search only on request', async () => {
    const messages = [{ type: 'human', content: 'hello' }];
    const created = await create(ann, { thread_id: 'talked' }, '/api/graph');
    expect(created.values).toEqual({ messages });
    expect((await bodyOf<Thread>(await ann.get('/api/graph/threads/talked'))).values).toEqual({ messages });
    expect((await bodyOf<Thread>(await ann.get('/api/threads/talked'))).values).toEqual({});
    const search = async (fields: object) =>
      bodyOf<Thread[]>(await ann.post('/api/graph/threads/search', fields));
    expect((await search({}))[0]?.values).toEqual({});
    expect(await search({ select: ['values'] })).toEqual([{ values: { messages } }]);
  });

  it('[threads.patch.minimal] Prefer: return=minimal returns 204', async () => {
    await create(ann, { thread_id: 't' });
    const patch = (prefix: string) =>
      ann.patch(`${prefix}/threads/t`, { metadata: { a: 1 } }, { prefer: 'return=minimal' });
    expect([(await patch('/api/graph')).status, (await patch('/api')).status]).toEqual([204, 200]);
  });
});
