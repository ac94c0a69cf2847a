// Invalid counts, positions and cursors, for every listing of the service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

let test: TestService;
let client: HttpClient;
let threadId: string;
let other: string;
beforeAll(async () => {
  test = await openTestService();
  client = await test.user();
  test.model.onRequest(() => answer.text('Hello'));
  threadId = await newThread(client);
  other = await newThread(client);
  for (const id of [threadId, other]) await streamed(client, id, question('hi'));
});
afterAll(() => test.close());

/** Invalid counts of a page, and counts larger than any page. */
const COUNTS = ['1000000000', '-1', '0', '1.5', '1e3', 'NaN', 'Infinity', '9'.repeat(30), 'ten', ''];
const MOST = 2_000;

const LISTINGS: readonly (readonly [path: string, parameters: readonly string[]])[] = [
  ['/api/threads/:id/messages', ['limit', 'before_seq', 'after_seq']],
  ['/api/threads/:id/messages/page', ['limit']],
  ['/api/threads/:id/events', ['limit', 'before_seq', 'after_seq']],
  ['/api/threads/:id/runs', ['limit', 'offset']],
  ['/api/graph/threads/:id/runs', ['limit', 'offset']],
  ['/api/search', ['limit', 'offset']],
  ['/api/threads/:id/artifacts', ['limit', 'offset']],
];

describe('a listing', () => {
  it.each(LISTINGS)('[hostile.S68] %s returns a page or a 422', async (path, parameters) => {
    for (const parameter of parameters) {
      for (const count of COUNTS) {
        const query = new URLSearchParams({ q: 'hi', [parameter]: count });
        await expectPage(await client.get(`${path.replace(':id', threadId)}?${query}`));
      }
    }
  });

  it.each(['/api/graph', '/api'])(
    '[hostile.S68] bodies of %s with an invalid page are 422',
    async (prefix) => {
      for (const path of [`threads/${threadId}/history`, 'threads/search', 'assistants/search']) {
        for (const limit of [1e9, -1, 0, 1.5, 1e308, '10', true, [], {}]) {
          expect((await client.post(`${prefix}/${path}`, { limit })).status, `${path} ${limit}`).toBe(422);
        }
      }
      for (const offset of [-1, 1.5, 1e308, '1'])
        expect((await client.post(`${prefix}/threads/search`, { offset })).status).toBe(422);
      for (const offset of [1e9, Number.MAX_SAFE_INTEGER])
        expect(await jsonOf(client.post(`${prefix}/threads/search`, { offset }))).toEqual([]);
    },
  );

  it("[hostile.S68] both cursors together are 422 or one page, and another thread's begins nowhere", async () => {
    await expectPage(await client.get(`/api/threads/${threadId}/messages?after_seq=0&before_seq=99`));
    await expectPage(await client.get(`/api/threads/${threadId}/events?after_seq=0&before_seq=99`));
    const [head] = await jsonOf<StateJson[]>(
      client.post(`/api/graph/threads/${other}/history`, { limit: 1 }),
    );
    const before = head?.checkpoint?.checkpoint_id ?? '';
    for (const prefix of ['/api/graph', '/api']) {
      expect(await jsonOf(client.post(`${prefix}/threads/${threadId}/history`, { before }))).toEqual([]);
      expect(await jsonOf(client.post(`${prefix}/threads/${threadId}/history`, { before: 'none' }))).toEqual(
        [],
      );
    }
  });
});

async function expectPage(response: Response): Promise<void> {
  const text = await response.text();
  if (response.status === 422) return;
  expect(response.status, text).toBe(200);
  const page: unknown = JSON.parse(text);
  const lists = Array.isArray(page) ? [page] : Object.values(Object(page)).filter(Array.isArray);
  expect(lists.every((list) => list.length <= MOST)).toBe(true);
}
