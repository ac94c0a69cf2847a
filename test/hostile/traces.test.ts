// What one user can learn of another one from numbers, and anybody of what was deleted.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';

let test: TestService;
let ann: HttpClient;
let bob: HttpClient;
beforeAll(async () => {
  test = await openTestService();
  [ann, bob] = [await test.user('ann'), await test.user('bob')];
  test.model.onRequest(() => answer.text('a marzipan answer'));
});
afterAll(() => test.close());

const ask = async (client: HttpClient, threadId: string): Promise<void> => {
  await (await client.post(`/api/graph/threads/${threadId}/runs/wait`, question('marzipan'))).text();
};

it('[hostile.S38] totals and numbers are those of one user, whatever others do', async () => {
  const threadId = await newThread(ann);
  await ask(ann, threadId);
  const known = async () => {
    const paths = ['/api/graph/threads/count', '/api/threads/count', '/api/threads/search'];
    const lists = await Promise.all(paths.map(async (path) => (await ann.post(path, {})).text()));
    const events = await jsonOf<{ seq: number }[]>(ann.get(`/api/threads/${threadId}/events`));
    return { lists, seqs: events.map(({ seq }) => seq) };
  };
  const before = await known();
  for (let count = 0; count < 3; count++) await ask(bob, await newThread(bob));
  expect(await known()).toEqual(before);
  expect(before.seqs).toEqual(before.seqs.map((_, index) => index + 1));
});

it('[hostile.S37] what was deleted is gone by its old ids and from every list, for its owner, too', async () => {
  const threadId = await newThread(ann);
  await ask(ann, threadId);
  const [run] = await jsonOf<RunJson[]>(ann.get(`/api/graph/threads/${threadId}/runs?limit=1`));
  const stream = await ann.post(`/api/graph/threads/${threadId}/stream/events`, { channels: ['lifecycle'] });
  expect((await ann.delete(`/api/threads/${threadId}`)).status).toBeLessThan(300);
  await stream.text();
  const gone = ['', '/state', '/runs', `/runs/${run?.run_id}`, `/runs/${run?.run_id}/stream`];
  for (const path of gone)
    expect([path, (await ann.get(`/api/graph/threads/${threadId}${path}`)).status]).toEqual([path, 404]);
  expect((await ann.get(`/api/runs/${run?.run_id}/messages`)).status).toBe(404);
  const found = await (await ann.post('/api/threads/search', { limit: 100 })).text();
  expect(found).not.toContain(threadId);
});
