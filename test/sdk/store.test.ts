// The store, as the official client works with it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDemoModel } from '../../src/models/demo-model.ts';
import { jsonOf } from '../support/json-of.ts';
import { TEST_PASSWORD } from '../support/service.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { openSdkUser, SDK_VERSIONS, type SdkUser } from './official-client.ts';

const MINUTE_MS = 60_000;

let service: ServedService;
let now = Date.now();
beforeAll(async () => {
  service = await openServedService({
    models: [createDemoModel({ delayMs: 0 })],
    config: { store: { max_items_per_user: 12, max_value_kb: 4 } },
    overrides: { now: () => now },
  });
});
afterAll(() => service.close());

describe.each(SDK_VERSIONS)('the store with SDK $version', (version) => {
  let user: SdkUser;
  let store: SdkUser['client']['store'];
  beforeEach(async () => {
    user = await openSdkUser(service, version);
    ({ store } = user.client);
  });

  it('[sdk.store.items] stores, replaces, returns and deletes an item', async () => {
    const value = { text: 'a\u0000ä💡', list: [1, null, { deep: [] }], __proto: 'x' };
    await store.putItem(['users', 'ann 1%'], 'k/1?&', value);
    now += 1_000;
    const first = await store.getItem(['users', 'ann 1%'], 'k/1?&');
    expect(first).toMatchObject({ namespace: ['users', 'ann 1%'], key: 'k/1?&', value });
    await store.putItem(['users', 'ann 1%'], 'k/1?&', { text: 'new' }, { index: ['text'], ttl: null });
    const second = await store.getItem(['users', 'ann 1%'], 'k/1?&');
    expect(second).toMatchObject({ value: { text: 'new' }, createdAt: first?.createdAt });
    expect(Date.parse(String(second?.updatedAt)) - Date.parse(String(first?.updatedAt))).toBe(1_000);
    await store.deleteItem(['users', 'ann 1%'], 'k/1?&');
    await store.deleteItem(['users', 'ann 1%'], 'k/1?&');
    expect(await store.getItem(['users', 'ann 1%'], 'k/1?&')).toBeNull();
  });

  it('[sdk.store.search] finds by prefix, filter and words, in pages', async () => {
    const values = [
      { kind: 'note', n: 1, at: { town: 'Turin' }, text: 'The café by the river' },
      { kind: 'note', n: 2, at: { town: 'Bonn' }, text: 'River boats and a harbour' },
      { kind: 'task', n: 3, tags: ['a', 'b'], text: 'Buy milk' },
    ];
    for (const value of values) {
      now += 1_000;
      await store.putItem(['memories', value.kind], `k${value.n}`, value);
    }
    await store.putItem(['memoriesofall'], 'k9', { kind: 'note', n: 9 });
    const keys = async (options: Parameters<typeof store.searchItems>[1], prefix = ['memories']) =>
      (await store.searchItems(prefix, options)).items.map(({ key }) => key);
    expect(await keys({})).toEqual(['k3', 'k2', 'k1']);
    expect(await keys({ limit: 1, offset: 1 })).toEqual(['k2']);
    expect(await keys({}, ['memories', 'note'])).toEqual(['k2', 'k1']);
    expect(await keys({ filter: { kind: 'note', n: { $gt: 1 } } }, [])).toEqual(['k9', 'k2']);
    expect(await keys({ filter: { n: { $gte: 1, $lt: 3, $ne: 2 } } })).toEqual(['k1']);
    expect(await keys({ filter: { n: { $lte: '3' } } })).toEqual([]);
    expect(await keys({ filter: { at: { town: 'Turin' } } })).toEqual(['k1']);
    expect(await keys({ filter: { tags: ['a', 'b'] } })).toEqual(['k3']);
    expect(await keys({ filter: { tags: { $exists: false }, n: { $in: [1, 3] } } })).toEqual(['k1']);
    expect(await keys({ filter: { kind: { $nin: ['task'] }, n: { $eq: 2 } } })).toEqual(['k2']);
    expect(await keys({ filter: { kind: { $nin: [] } }, limit: 1, offset: 2 })).toEqual(['k1']);
    expect(await keys({ query: 'CAFE river' })).toEqual(['k1', 'k2']);
    const { items } = await store.searchItems(['memories'], { query: 'cafe river', filter: { n: 2 } });
    expect(items).toMatchObject([{ value: values[1], score: 0.5 }]);
    await expect(keys({ filter: { n: { $where: 1 } } })).rejects.toMatchObject({ status: 422 });
    await expect(keys({ filter: { n: { $gt: true } } })).rejects.toMatchObject({ status: 422 });
    await expect(keys({ filter: { n: { $gt: 1, constructor: 1 } } })).rejects.toThrow(/422.*Use one of/s);
  });

  it('[sdk.store.namespaces] lists namespaces by their labels', async () => {
    for (const namespace of [
      ['a', 'b', 'c'],
      ['a', 'd', 'c'],
      ['a', 'd'],
      ['x', 'c'],
    ])
      await store.putItem(namespace, 'k', {});
    const listed = async (options: Parameters<typeof store.listNamespaces>[0]) =>
      (await store.listNamespaces(options)).namespaces.map((labels) => labels.join('.'));
    expect(await listed({})).toEqual(['a.b.c', 'a.d', 'a.d.c', 'x.c']);
    expect(await listed({ prefix: ['a'], maxDepth: 2 })).toEqual(['a.b', 'a.d']);
    expect(await listed({ suffix: ['c'] })).toEqual(['a.b.c', 'a.d.c', 'x.c']);
    expect(await listed({ prefix: ['*', 'd'], suffix: ['c'] })).toEqual(['a.d.c']);
    expect(await listed({ limit: 2, offset: 1 })).toEqual(['a.d', 'a.d.c']);
  });

  it('[sdk.store.ttl] removes an item after its minutes, which reading restarts', async () => {
    await store.putItem(['t'], 'k', { n: 1 }, { ttl: 1 });
    now += 0.9 * MINUTE_MS;
    expect(await store.getItem(['t'], 'k', { refreshTtl: false })).not.toBeNull();
    expect((await store.searchItems(['t'])).items).toHaveLength(1);
    now += 0.9 * MINUTE_MS;
    expect(await store.getItem(['t'], 'k', { refreshTtl: false })).not.toBeNull();
    now += 0.2 * MINUTE_MS;
    expect(await store.getItem(['t'], 'k')).toBeNull();
    expect((await store.listNamespaces({ prefix: ['t'] })).namespaces).toEqual([]);
  });
});

describe('limits and owners of the store', () => {
  const [newest] = SDK_VERSIONS;
  if (newest === undefined) throw new Error('There is a newest client.');

  const openPerson = (name: string) => openSdkUser(service, newest, name);

  it('[sdk.store.limits] refuses bad names, and more than a user may keep', async () => {
    const { client } = await openSdkUser(service, newest);
    const put = (namespace: string[], key = 'k', value: Record<string, unknown> = {}) =>
      client.store.putItem(namespace, key, value);
    const many = Array.from({ length: 17 }, (_, n) => `${n}`);
    for (const namespace of [[], [''], many, ['x'.repeat(1_025)], ['a\u0000'], ['\ud800']])
      await expect(put(namespace)).rejects.toMatchObject({ status: 422 });
    for (const key of ['', 'é'.repeat(257), 'a\nb'])
      await expect(put(['a'], key)).rejects.toMatchObject({ status: 422 });
    await expect(put(['a'], 'k', { v: 'x'.repeat(4_096) })).rejects.toThrow('4096 bytes');
    await expect(client.store.putItem(['a'], 'k', {}, { ttl: -1 })).rejects.toMatchObject({ status: 422 });
    for (let n = 0; n < 12; n++) await put(['a'], `k${n}`);
    await expect(put(['a'], 'k12')).rejects.toMatchObject({ status: 409 });
    await put(['a'], 'k0', { replaced: true });
  });

  it('[sdk.store.limits] counts what is kept among what a user may have', async () => {
    const { client, http } = await openPerson('quota');
    const { thread_id } = await client.threads.create();
    const used = async () => {
      const list = http.get(`/api/threads/${thread_id}/uploads/list`);
      return (await jsonOf<{ usage: { user_bytes: number } }>(list)).usage.user_bytes;
    };
    const before = await used();
    await client.store.putItem(['a'], 'k', { text: 'x'.repeat(1_000) });
    expect((await used()) - before).toBe(1_011);
  });

  it('[sdk.store.owner] shows nobody else’s items, exports them, and deletes them with the account', async () => {
    const ann = await openPerson('ann');
    const bob = await openPerson('bob');
    await ann.client.store.putItem(['shared'], 'k', { of: 'ann' });
    expect(await bob.client.store.getItem(['shared'], 'k')).toBeNull();
    expect((await bob.client.store.searchItems([])).items).toEqual([]);
    const exported = await ann.http.get('/api/account/export');
    expect(Buffer.from(await exported.arrayBuffer()).includes('store.jsonl')).toBe(true);
    const { id } = await jsonOf<{ id: string }>(ann.http.get('/api/v1/auth/me'));
    const gone = await ann.http.send('DELETE', '/api/v1/auth/me', {
      body: JSON.stringify({ password: TEST_PASSWORD }),
      headers: { 'content-type': 'application/json' },
    });
    expect(gone.status).toBe(200);
    await expect
      .poll(() => service.service.storage.as(id).storeItems.use(), { timeout: 10_000 })
      .toEqual({ items: 0, bytes: 0 });
  });
});
