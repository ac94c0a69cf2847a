// Threads with large states that are requested whole: sent piece by piece, or refused before the first byte.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient, detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { TEST_PASSWORD } from '../support/service.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

let service: ServiceProcess;
let client: HttpClient;
let threadId: string;
let copies: readonly string[];
beforeAll(async () => {
  // Less than a fifth of the requested states.
  service = await startServiceProcess({ env: { NODE_OPTIONS: '--max-old-space-size=320' } });
  client = createHttpClient({ request: (path, init) => fetch(`${service.url}${path}`, init) });
  await client.register({ email: 'ann@example.com', password: TEST_PASSWORD });
  threadId = await made(client.post('/api/graph/threads', {}));
  const content = 'x'.repeat(4_190_000);
  for (let index = 0; index < 6; index++) await update({ messages: [{ role: 'user', content }] });
  for (let index = 0; index < 100; index++) await update({ title: `title ${index}` });
  copies = await Promise.all(Array.from({ length: 12 }, copied));
});
/** Checks that no request has ended the process. */
afterEach(async () => {
  const health = await fetch(`${service.url}/health`).catch(() => undefined);
  expect(health?.status).toBe(200);
});
afterAll(() => service.remove());

async function made(answer: Promise<Response>): Promise<string> {
  return (await jsonOf<{ thread_id: string }>(answer)).thread_id;
}

function copied(): Promise<string> {
  return made(client.post(`/api/graph/threads/${threadId}/copy`));
}

async function update(values: Record<string, unknown>): Promise<void> {
  const answer = await client.post(`/api/graph/threads/${threadId}/state`, { values });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

describe('more than one response may hold', () => {
  it.each([
    ['POST', '/api/graph', ''],
    ['POST', '/api', ''],
    ['query', '/api', '?limit=100'],
  ])(
    '[state.bounds] a %s for the history of %s%s is a 413 that says what to request',
    async (kind, prefix, query) => {
      const body = kind === 'query' ? undefined : { limit: 100 };
      const answer = await client.post(`${prefix}/threads/${threadId}/history${query}`, body);
      expect(answer.status).toBe(413);
      expect(await detailOf(answer)).toMatch(/2\d{3} MB, more than the 256 MB .*`limit`.*`before`/);
    },
  );

  it.each(['/api/graph', '/api'])('[state.bounds] a search of %s for values is a 413', async (prefix) => {
    const body = { ids: copies, limit: 12, select: ['thread_id', 'values'] };
    const answer = await client.post(`${prefix}/threads/search`, body);
    expect(answer.status).toBe(413);
    expect(await detailOf(answer)).toMatch(/MB, more than the 256 MB .*`limit`.*`select`/);
    expect((await client.post(`${prefix}/threads/search`, { select: ['thread_id'] })).status).toBe(200);
  });
});

describe('what one response may hold', () => {
  it('[state.bounds] is sent whole, even if it exceeds the memory of the service', async () => {
    const states = await jsonOf<StateJson[]>(
      client.post(`/api/graph/threads/${threadId}/history`, { limit: 10 }),
    );
    expect(states.map(({ values }) => [values.messages.length, values.title])).toEqual(
      Array.from({ length: 10 }, (_, index) => [6, `title ${99 - index}`]),
    );
    const found = await jsonOf<{ values: Record<string, unknown> }[]>(
      client.post('/api/graph/threads/search', { ids: copies.slice(0, 5), select: ['values'] }),
    );
    expect(found.map(({ values }) => values)).toEqual(
      Array.from({ length: 5 }, () => ({ title: 'title 99' })),
    );
  });

  it('[state.bounds] leaves the service responsive to others', async () => {
    const answer = client.post(`/api/graph/threads/${threadId}/history`, { limit: 5 });
    const whole = answer.then((it) => it.arrayBuffer());
    expect(await healthyAnswersBefore(whole)).toBeGreaterThan(10);
    expect((await whole).byteLength).toBeGreaterThan(100_000_000);
  });
});

/** Returns the number of sequential requests that succeeded before the work was done. */
async function healthyAnswersBefore(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  let answers = 0;
  for (; !isOver; answers++) await (await fetch(`${service.url}/health`)).arrayBuffer();
  await done;
  return answers;
}
