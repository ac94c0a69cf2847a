// Searching titles and messages over HTTP.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

interface Found {
  readonly results: readonly {
    readonly thread_id: string;
    readonly title: string | null;
    readonly title_marks: readonly [number, number][];
    readonly matches: readonly {
      readonly run_id: string;
      readonly seq: number;
      readonly message_id: string;
      readonly role: string;
      readonly snippet: string;
      readonly marks: readonly [number, number][];
    }[];
  }[];
  readonly has_more: boolean;
  readonly next_offset: number | null;
}

let service: TestService;
let ann: HttpClient;
let bob: HttpClient;
beforeAll(async () => {
  service = await openTestService();
  service.model.onRequest(() => answer.text('They swim.'));
  ann = await service.user('ann');
  bob = await service.user('bob');
});
afterAll(() => service.close());

const search = async (client: HttpClient, query: Record<string, string>) => {
  const response = await client.get(`/api/search?${new URLSearchParams(query)}`);
  expect(response.status).toBe(200);
  return bodyOf<Found>(response);
};

it("[http.search] finds a conversation by its question and by its title, and no one else's", async () => {
  const threadId = await newThread(ann);
  await streamed(ann, threadId, question('Tell me about <b>narwhals</b> & whales'));
  const { results, has_more, next_offset } = await search(ann, { q: 'narwhal' });
  expect({ has_more, next_offset }).toEqual({ has_more: false, next_offset: null });
  expect(results.map((it) => it.thread_id)).toEqual([threadId]);
  await ann.post(`/api/threads/${threadId}/state`, { values: { title: 'Sea animals' } });
  const [byText] = (await search(ann, { q: 'narwhals' })).results;
  const [match] = byText?.matches ?? [];
  expect(byText).toMatchObject({ title: 'Sea animals', title_marks: [], status: 'idle' });
  expect(match).toMatchObject({ role: 'user', snippet: 'Tell me about <b>narwhals</b> & whales' });
  expect(match?.marks.map(([start, end]) => match.snippet.slice(start, end))).toEqual(['narwhals']);
  const messages = await bodyOf<{ values: { messages: { id: string }[] } }>(
    await ann.get(`/api/threads/${threadId}/state`),
  );
  expect(messages.values.messages[0]?.id).toBe(match?.message_id);
  const [byTitle] = (await search(ann, { q: 'animals sea' })).results;
  expect(byTitle).toMatchObject({
    title_marks: [
      [0, 3],
      [4, 11],
    ],
    matches: [],
  });
  expect((await search(bob, { q: 'narwhals' })).results).toEqual([]);
  expect((await search(bob, { q: 'sea' })).results).toEqual([]);
});

it('[hostile.S51] [http.search.query] any text is a query, and one without a word finds nothing', async () => {
  const nothing = { results: [], has_more: false, next_offset: null };
  for (const q of [
    '',
    ' ',
    '"',
    '*',
    '""',
    '!?-+',
    '\u0000',
    'AND OR NOT',
    'words:x',
    "' or 1=1 --",
    '(',
    'a" b',
  ])
    expect(await search(ann, { q })).toEqual(nothing);
  expect((await search(ann, { q: 'NOT narwhals' })).results).toEqual([]);
});

it('[http.search.limits] a missing query and limits out of range are 422', async () => {
  const bad = ['', '?limit=1', '?q=a&limit=0', '?q=a&limit=51', '?q=a&offset=-1', '?q=a&offset=1001'];
  bad.push('?q=a&limit=x', '?q=a&q=b', `?q=${'x'.repeat(501)}`);
  for (const query of bad)
    expect([query, (await ann.get(`/api/search${query}`)).status]).toEqual([query, 422]);
  expect((await service.client().get('/api/search?q=a')).status).toBe(401);
});
