// Thousands of hostile requests against a service with another user's rows as bait.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HostileRequest, hostileRequest, PAYLOADS } from '../support/hostile-requests.ts';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { openTestService, question, streamed, type TestService } from '../support/service.ts';

const SEED = 20_261_121;
const AT_ONCE = 8;
/** Takes seconds on an idle machine. */
const PATIENCE = { timeout: 240_000 };
/** In every row of the other user that can hold it. */
const CANARY = 'CANARY-of-bob';

export function hostileInput(openUrl: () => Promise<string>, cases: number): void {
  let service: TestService;
  let ann: HttpClient;
  let bob: HttpClient;
  beforeAll(async () => {
    service = await openTestService({ config: { database: { url: await openUrl() } } });
    service.model.onRequest(() => answer.text(`bait tea 東京 ${CANARY}`));
    ann = await service.user('ann');
    bob = await service.user('bob');
    await ann.post('/api/threads', { thread_id: 'ann-1', metadata: { topic: 'tea' } });
    for (const thread_id of ['bob-1', 'bob-2']) {
      const metadata = { topic: 'tea', bait: 'bait', true: true, canary: CANARY, '1': 1 };
      await bob.post('/api/threads', { thread_id, metadata });
      await streamed(bob, thread_id, question(`bait tea a _text _title ${CANARY}`));
      await bob.post(`/api/threads/${thread_id}/state`, { values: { title: `bait tea ${CANARY}` } });
    }
  });
  afterAll(() => service.close());

  /** The number of responses by status. */
  const statuses = new Map<number, number>();

  const wrong = async (request: HostileRequest) => {
    const { method, path, body } = request;
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await ann.send(method, path, { headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    if (response.status < 500 && !text.includes(CANARY)) return [];
    return [{ request, status: response.status, text }];
  };

  it(
    `[hostile.S50] [http.hostile] [http.hostile.owner] ${cases} hostile requests never fail and never see a row of another user`,
    PATIENCE,
    async () => {
      const requests = fc.sample(hostileRequest, { seed: SEED, numRuns: cases });
      const failures: object[] = [];
      const left = requests.values();
      const askOnAndOn = async () => {
        for (const request of left) failures.push(...(await wrong(request)));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, askOnAndOn));
      expect(failures).toEqual([]);
      // Requests that passed validation.
      expect(statuses.get(200)).toBeGreaterThan(cases / 4);
      expect(service.complaints).toEqual([]);
    },
  );

  it('[hostile.S50] code as a value is a value, as a key it is refused, and 64 keys are one query', async () => {
    const cat = await service.user('cat');
    const found = async (metadata: object) => {
      const answer = await cat.post('/api/threads/search', { metadata });
      return [answer.status, answer.status === 200 ? (await bodyOf<object[]>(answer)).length : 0];
    };
    const values = PAYLOADS.filter((it) => !it.includes('\0'));
    for (const value of values) await cat.post('/api/threads', { metadata: { value, nested: { value } } });
    for (const value of values) {
      expect([value, ...(await found({ value }))]).toEqual([value, 200, 1]);
      expect([value, ...(await found({ nested: { value } }))]).toEqual([value, 200, 1]);
      const isName = /^[A-Za-z0-9_.-]{1,64}$/.test(value);
      // `__proto__` never becomes a key of the filter, so the filter is empty.
      const nothing = value === '__proto__' ? values.length : 0;
      expect([value, ...(await found({ [value]: 1 }))]).toEqual([value, isName ? 200 : 422, nothing]);
    }
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
    await cat.post('/api/threads', { metadata: keys(64) });
    expect(await found(keys(64))).toEqual([200, 1]);
    expect(await found(keys(20_000))).toEqual([422, 0]);
  });

  it('[http.hostile.owner] the rows of the other user are unchanged', async () => {
    const found = await bodyOf<{ thread_id: string; metadata: object }[]>(
      await bob.post('/api/threads/search', {
        metadata: { canary: CANARY },
        sort_by: 'thread_id',
        sort_order: 'asc',
      }),
    );
    const metadata = { topic: 'tea', bait: 'bait', true: true, canary: CANARY, '1': 1 };
    expect(found).toMatchObject([
      { thread_id: 'bob-1', metadata, values: { title: `bait tea ${CANARY}` } },
      { thread_id: 'bob-2', metadata },
    ]);
    const { results } = await bodyOf<{ results: object[] }>(await bob.get('/api/search?q=bait'));
    expect(results).toHaveLength(2);
    expect((await bodyOf<{ results: object[] }>(await ann.get('/api/search?q=bait'))).results).toEqual([]);
  });
}
