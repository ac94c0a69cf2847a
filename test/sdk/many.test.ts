// Searches by values, and what is done to several threads or runs at once, as the official client asks for it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { ask, openSdkUser, SDK_VERSIONS, type SdkUser } from './official-client.ts';

let service: ServedService;
beforeAll(async () => {
  service = await openServedService();
  service.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
});
afterAll(() => service.close());

describe.each(SDK_VERSIONS)('many threads and runs with SDK $version', (version) => {
  let user: SdkUser;
  beforeEach(async () => {
    user = await openSdkUser(service, version);
  });

  it('[sdk.threads.values] filters by values of the state, and extracts some', async () => {
    // The oldest has neither of them.
    if (version.lists === 'json') return;
    const { threads, runs } = user.client;
    const group = crypto.randomUUID();
    const made = [];
    for (const title of ['Tea', 'Honey', 'Tea']) {
      const { thread_id } = await threads.create({ metadata: { group } });
      await runs.wait(thread_id, 'lead_agent', { input: ask(`about ${title}`) });
      await threads.updateState(thread_id, { values: { title } });
      made.push(thread_id);
    }
    const untouched = await threads.create({ metadata: { group } });
    const found = await threads.search({
      metadata: { group },
      values: { title: 'Tea' },
      sortBy: 'created_at',
      sortOrder: 'asc',
      limit: 1,
      offset: 1,
      extract: {
        last: 'values.messages[-1].content',
        asked: 'values.messages[0].role',
        group: 'metadata.group',
        none: 'values.messages[9].content',
      },
    });
    expect(found).toMatchObject([
      {
        thread_id: made[2],
        extracted: { last: 're about Tea', asked: 'user', group, none: null },
      },
    ]);
    expect(await threads.count({ metadata: { group }, values: { title: 'Tea' } })).toBe(2);
    expect(await threads.count({ metadata: { group }, values: { title: 'Te' } })).toBe(0);
    const [empty] = await threads.search({ ids: [untouched.thread_id], extract: { all: 'values.messages' } });
    expect(empty).toMatchObject({ extracted: { all: null } });
    for (const body of [
      { values: { messages: [] } },
      { extract: { a: 'secrets' } },
      { extract: { a: 'values[x]' } },
      { extract: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`a${n}`, 'values'])) },
    ])
      await expect(threads.search(body)).rejects.toMatchObject({ status: 422 });
  });

  it('[sdk.threads.prune] deletes several threads, but for busy ones', async () => {
    const { threads, runs } = user.client;
    const [one, two, busy] = await Promise.all([threads.create(), threads.create(), threads.create()]);
    await runs.create(busy.thread_id, 'lead_agent', { input: ask('later'), afterSeconds: 3_600 });
    if (threads.prune === undefined) return;
    const ids = [one.thread_id, two.thread_id, two.thread_id, busy.thread_id, 'absent'];
    await expect(threads.prune(ids)).resolves.toEqual({ pruned_count: 2 });
    await expect(threads.get(one.thread_id)).rejects.toMatchObject({ status: 404 });
    expect((await threads.get(busy.thread_id)).status).toBe('busy');
    await expect(threads.prune([busy.thread_id], { strategy: 'keep_latest' })).rejects.toMatchObject({
      status: 422,
    });
  });

  it('[sdk.runs.cancel-many] cancels runs by id, of a thread, or all', async () => {
    const { threads, runs } = user.client;
    if (runs.cancelMany === undefined) return;
    const start = async () => {
      const { thread_id } = await threads.create();
      return runs.create(thread_id, 'lead_agent', { input: ask('later'), afterSeconds: 3_600 });
    };
    const [byId, ofThread, other] = await Promise.all([start(), start(), start()]);
    const statuses = async () =>
      (await Promise.all([byId, ofThread, other].map((run) => runs.get(run.thread_id, run.run_id)))).map(
        ({ status }) => status,
      );
    const one = { threadId: byId.thread_id, runIds: [byId.run_id] };
    await expect(runs.cancelMany(one)).resolves.toBeUndefined();
    expect(await statuses()).toEqual(['interrupted', 'pending', 'pending']);
    await runs.cancelMany({ threadId: ofThread.thread_id, status: 'pending' });
    expect(await statuses()).toEqual(['interrupted', 'interrupted', 'pending']);
    await expect(runs.cancelMany({ runIds: [other.run_id, crypto.randomUUID()] })).rejects.toMatchObject({
      status: 404,
    });
    await expect(runs.cancelMany({})).rejects.toMatchObject({ status: 422 });
    expect(await statuses()).toEqual(['interrupted', 'interrupted', 'pending']);
    await runs.cancelMany({ status: 'all' });
    expect(await statuses()).toEqual(['interrupted', 'interrupted', 'interrupted']);
  });
});

it('[sdk.threads.values] refuses to read more states than it may', async () => {
  const client = await service.user();
  for (let n = 0; n < 501; n++) await client.post('/api/threads', {});
  const refused = await client.post('/api/graph/threads/count', { values: { title: 'x' } });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('500 threads')]);
  const narrowed = await client.post('/api/graph/threads/count', {
    values: { title: 'x' },
    status: 'error',
  });
  expect(await jsonOf(Promise.resolve(narrowed))).toBe(0);
});
