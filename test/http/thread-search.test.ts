// Searching and counting threads: filters, order, pages.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let ann: HttpClient;
beforeEach(async () => {
  service = await openTestApp();
  ann = await service.user();
});
afterEach(() => service.close());

describe('search', () => {
  const search = async (fields: object) =>
    (await bodyOf<{ thread_id: string }[]>(await ann.post('/api/threads/search', fields))).map(
      (thread) => thread.thread_id,
    );
  const count = async (fields: object) => bodyOf(await ann.post('/api/threads/count', fields));

  beforeEach(async () => {
    for (const [id, metadata] of [
      ['a', { topic: 'tea', n: 1 }],
      ['b', { topic: 'tea', n: 2, deep: { x: [1, { y: null }] } }],
      ['c', { topic: 'coffee', 'a.b': true }],
    ] as const) {
      expect((await ann.post('/api/threads', { thread_id: id, metadata })).status).toBe(200);
      service.clock.now += 1000;
    }
  });

  it('[threads.search] [threads.count] filters by exact metadata, status and ids', async () => {
    const cases: [object, string[]][] = [
      [{}, ['c', 'b', 'a']],
      [{ metadata: { topic: 'tea' } }, ['b', 'a']],
      [{ metadata: { topic: 'tea', n: 1 } }, ['a']],
      [{ metadata: { topic: 'TEA' } }, []],
      [{ metadata: { n: '1' } }, []],
      [{ metadata: { deep: { x: [1, { y: null }] } } }, ['b']],
      [{ metadata: { deep: { x: [1] } } }, []],
      [{ metadata: { 'a.b': true } }, ['c']],
      [{ metadata: { topic: "' OR 1=1 --" } }, []],
      [{ metadata: { topic: '%' } }, []],
      [{ ids: ['a', 'c', 'absent'] }, ['c', 'a']],
      [{ ids: [] }, []],
      [{ status: 'idle', metadata: { n: 2 } }, ['b']],
      [{ status: 'busy' }, []],
    ];
    for (const [filter, expected] of cases) {
      expect([filter, await search(filter)]).toEqual([filter, expected]);
      expect([filter, await count(filter)]).toEqual([filter, expected.length]);
    }
  });

  it('[threads.search] sorts by the four fields', async () => {
    await ann.patch('/api/threads/a', { metadata: {} });
    expect(await search({})).toEqual(['a', 'c', 'b']);
    expect(await search({ sort_by: 'created_at' })).toEqual(['c', 'b', 'a']);
    expect(await search({ sort_by: 'thread_id', sort_order: 'asc' })).toEqual(['a', 'b', 'c']);
    expect(await search({ sort_by: 'status', sort_order: 'asc' })).toHaveLength(3);
    for (const sort of [{ sort_by: 'metadata' }, { sort_by: 'created_at; drop' }, { sort_order: 'up' }]) {
      expect((await ann.post('/api/threads/search', sort)).status).toBe(422);
    }
  });

  it('[threads.search.pages] the headers have the total and the next offset', async () => {
    const pages = async (limit: number, offset: number) => {
      const { headers } = await ann.post('/api/threads/search', { limit, offset });
      return [headers.get('x-pagination-total'), headers.get('x-pagination-next')];
    };
    expect(await pages(2, 0)).toEqual(['3', '2']);
    expect(await pages(2, 2)).toEqual(['3', null]);
    expect(await pages(3, 0)).toEqual(['3', null]);
    expect(await pages(3, 99)).toEqual(['3', null]);
    expect(await search({ limit: 2, offset: 2 })).toEqual(['a']);
  });

  it.each(["a') OR 1=1--", '$.a"', 'a b', '', 'x'.repeat(65), 'ключ', 'a[0]', '$ne'])(
    '[threads.search.keys] the metadata key %j is 422',
    async (key) => {
      for (const route of ['search', 'count']) {
        const answer = await ann.post(`/api/threads/${route}`, { metadata: { [key]: 1 } });
        expect(answer.status).toBe(422);
      }
    },
  );
});
