// How large a request may be: every part has a bound, the API's document states it, and larger requests are
// refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { type RequestSchemas, requestSchemas } from '../support/request-bounds.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';

let service: TestService;
let ann: HttpClient;
let schemas: RequestSchemas;
let threadId: string;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
  schemas = requestSchemas(await bodyOf(await ann.get('/openapi.json')));
  threadId = await newThread(ann);
});
afterAll(() => service.close());

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

it('[http.bounds.stated] every text, list and free object of every request has a stated bound', () => {
  expect(schemas.routes.length).toBeGreaterThan(40);
  expect(schemas.unbounded).toEqual([]);
});

describe('metadata', () => {
  const places: readonly string[] = [
    ...['/api', '/api/graph'].flatMap((prefix) => [
      `POST ${prefix}/threads`,
      `PATCH ${prefix}/threads/:id`,
      `POST ${prefix}/threads/search`,
      `POST ${prefix}/threads/count`,
      `POST ${prefix}/threads/:id/history`,
      `POST ${prefix}/threads/:id/runs`,
    ]),
    'POST /api/graph/assistants/search',
  ];

  it.each(places)('[http.bounds.metadata] %s', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const body = (metadata: object) => ({ ...(path.endsWith('/runs') && question('hello')), metadata });
    const send = async (metadata: object) =>
      ann.send(method, path.replace(':id', await newThread(ann)), {
        body: JSON.stringify(body(metadata)),
        headers: { 'content-type': 'application/json' },
      });
    for (const allowed of [keys(64), { text: 'x'.repeat(16_000) }]) {
      const answer = await send(allowed);
      expect(answer.status).toBeLessThan(300);
      await answer.body?.cancel();
    }
    for (const [beyond, limit] of [
      [keys(65), '64'],
      [keys(20_000), '64'],
      [{ text: 'x'.repeat(17_000) }, '16384'],
      [{ list: Array.from({ length: 9_000 }, () => 1) }, '16384'],
    ] as const) {
      const answer = await send(beyond);
      expect(answer.status).toBe(422);
      expect(JSON.stringify(await detailOf(answer))).toContain(limit);
    }
  });

  it('[http.bounds.metadata] patches cannot add up to more', async () => {
    const id = await newThread(ann);
    const path = `/api/threads/${id}`;
    const send = (metadata: object) =>
      ann.send('PATCH', path, {
        body: JSON.stringify({ metadata }),
        headers: { 'content-type': 'application/json' },
      });
    expect((await send(keys(64))).status).toBe(200);
    expect((await send({ k1: 'again' })).status).toBe(200);
    expect((await send({ other: 1 })).status).toBe(422);
    expect((await send({ k2: 'x'.repeat(15_900) })).status).toBe(422);
    const { metadata } = await bodyOf<{ metadata: object }>(await ann.get(path));
    expect(metadata).toEqual({ ...keys(64), k1: 'again' });
  });
});

it('[hostile.S64] a body of very many values is refused before it is parsed', async () => {
  for (const values of ['[],'.repeat(1_000_000), '1,'.repeat(2_000_000), '{},'.repeat(1_000_000)]) {
    const body = `{"metadata":{"list":[${values}0]}}`;
    const answer = await ann.send('POST', '/api/threads', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(await detailOf(answer))).toContain('100000 values');
  }
});

it('[http.bounds.issues] of ninety thousand problems one hundred are named', async () => {
  const values = { artifacts: Array.from({ length: 9_000 }, () => 1) };
  const answer = await ann.post(`/api/threads/${threadId}/state`, { values });
  expect([answer.status, (await detailOf<unknown[]>(answer)).length]).toEqual([422, 100]);
});

it('[http.bounds.issues] a state with too many fields to check one by one is refused as a whole', async () => {
  for (const [count, problems, said] of [
    [64, 64, 'Unknown field'],
    [90_000, 1, 'Has 90000 keys; at most 64 are allowed'],
  ] as const) {
    const answer = await ann.post(`/api/threads/${threadId}/state`, { values: keys(count) });
    const detail = await detailOf<readonly { readonly msg: string }[]>(answer);
    expect([answer.status, detail.length, detail[0]?.msg]).toEqual([422, problems, said]);
  }
});

it('[hostile.S64] a list of ten thousand stream modes is refused', async () => {
  const stream_mode = Array.from({ length: 10_000 }, () => 'values');
  const answer = await ann.post(`/api/threads/${threadId}/runs`, { ...question('hello'), stream_mode });
  expect(answer.status).toBe(422);
});
