// Assistants, and what a client is told when it goes wrong, with the official client.
import { v5 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { ask, openSdkUser, SDK_VERSIONS, type SdkUser } from './official-client.ts';

const AGENT = 'lead_agent';
const AGENT_NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';
/** What servers of this field derive from that name. */
const DERIVED_ID = 'bee7d354-5df5-5f26-a978-10ea053f620d';

let service: ServedService;
beforeAll(async () => {
  service = await openServedService();
});
afterAll(() => service.close());

describe.each(SDK_VERSIONS)('assistants with SDK $version', (version) => {
  let user: SdkUser;
  beforeEach(async () => {
    service.model.reset();
    service.model.onRequest(() => answer.text('hello'));
    user = await openSdkUser(service, version);
  });

  it('[sdk.assistants] finds, counts and reads the lead agent by its name and its derived id', async () => {
    const { assistants } = user.client;
    const assistant = await assistants.get(AGENT);
    expect(assistant).toMatchObject({
      assistant_id: AGENT,
      graph_id: AGENT,
      name: AGENT,
      version: 1,
      config: {},
      context: {},
      metadata: { created_by: 'system' },
    });
    expect(await assistants.get(DERIVED_ID)).toEqual(assistant);
    expect(await assistants.search()).toEqual([assistant]);
    expect(
      await assistants.search({ name: 'LEAD', graphId: AGENT, metadata: { created_by: 'system' } }),
    ).toEqual([assistant]);
    for (const query of [
      { name: 'other' },
      { graphId: 'other' },
      { metadata: { created_by: 'me' } },
      { offset: 1 },
    ]) {
      expect(await assistants.search(query)).toEqual([]);
    }
    expect(await assistants.search({ select: ['graph_id'], sortBy: 'name', sortOrder: 'asc' })).toEqual([
      { graph_id: AGENT },
    ]);
    expect(await assistants.search({ includePagination: true })).toEqual({
      assistants: [assistant],
      next: null,
    });
    expect(await assistants.count({ graphId: AGENT })).toBe(1);
    expect(await assistants.count({ metadata: { created_by: 'me' } })).toBe(0);
    expect(await assistants.getVersions(AGENT)).toMatchObject([{ assistant_id: AGENT, version: 1 }]);
    expect(await assistants.setLatest(AGENT, 1)).toEqual(assistant);
    await expect(assistants.setLatest(AGENT, 2)).rejects.toMatchObject({ status: 404 });
    await expect(assistants.get('nobody')).rejects.toMatchObject({ status: 404 });
  });

  it('[sdk.assistants.defined] finds, counts, describes and runs agents that the person has defined', async () => {
    const { assistants, runs, threads } = user.client;
    await user.http.post('/api/agents', {
      name: 'tea',
      description: 'Teas',
      model: 'scripted',
      soul: 'calm',
    });
    await user.http.put('/api/agents/tea', { description: 'All teas', model: 'scripted' });
    const tea = await assistants.get('tea');
    expect(tea).toMatchObject({
      assistant_id: 'tea',
      graph_id: 'tea',
      name: 'tea',
      description: 'All teas',
      version: 2,
      config: { configurable: { model_name: 'scripted' } },
      metadata: { created_by: 'user' },
    });
    expect((await assistants.search({ sortBy: 'name' })).map(({ name }) => name)).toEqual(['tea', AGENT]);
    expect(await assistants.search({ metadata: { created_by: 'user' } })).toEqual([tea]);
    expect([await assistants.count(), await assistants.count({ name: 'te' })]).toEqual([2, 1]);
    expect(await assistants.getSchemas('tea')).toMatchObject({ graph_id: 'tea' });
    expect((await assistants.getGraph('tea')).nodes).toHaveLength(4);
    expect(await assistants.getVersions('tea')).toMatchObject([
      { version: 2, description: 'All teas' },
      { version: 1, description: 'Teas' },
    ]);
    expect(await assistants.setLatest('tea', 2)).toEqual(tea);
    await expect(assistants.setLatest('tea', 1)).rejects.toMatchObject({ status: 403 });
    const { thread_id } = await threads.create();
    const derived = v5('tea', AGENT_NAMESPACE);
    expect(await assistants.get(derived)).toEqual(tea);
    const run = await runs.create(thread_id, derived, { input: ask('hi') });
    expect(run.assistant_id).toBe('tea');
    expect(await runs.join(thread_id, run.run_id)).toMatchObject({ messages: [{}, { content: 'hello' }] });
    const stranger = await openSdkUser(service, version);
    await expect(stranger.client.assistants.get('tea')).rejects.toMatchObject({ status: 404 });
    expect(await stranger.client.assistants.count()).toBe(1);
  });

  it('[sdk.assistants.describe] draws the agent and describes what it takes and keeps', async () => {
    const { assistants } = user.client;
    const { nodes, edges } = await assistants.getGraph(AGENT, { xray: true });
    const ids = nodes.map(({ id }) => id);
    expect(ids).toEqual(['__start__', 'model', 'tools', '__end__']);
    for (const { source, target } of edges) expect(ids).toEqual(expect.arrayContaining([source, target]));
    expect(await assistants.getSchemas(AGENT)).toMatchObject({
      graph_id: AGENT,
      input_schema: { properties: { messages: expect.any(Object) } },
      state_schema: { properties: { messages: expect.any(Object), title: expect.any(Object) } },
      output_schema: { properties: { messages: expect.any(Object) } },
      config_schema: { properties: { model_name: expect.any(Object) } },
      context_schema: { properties: { thinking_enabled: expect.any(Object) } },
    });
    expect(await assistants.getSubgraphs(AGENT)).toEqual({});
    expect(await assistants.getSubgraphs(AGENT, { namespace: 'tools', recurse: true })).toEqual({});
  });

  it('[sdk.assistants.read-only] refuses to make, change or delete one, once and with a sentence', async () => {
    const { assistants } = user.client;
    const attempts = [
      () => assistants.create({ graphId: AGENT, name: 'mine' }),
      () => assistants.update(AGENT, { name: 'mine' }),
      () => assistants.delete(AGENT),
    ];
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({
        status: 403,
        message: expect.stringMatching(/^HTTP 403: .*cannot be created, changed or deleted/),
      });
    }
    expect(user.sent).toHaveLength(attempts.length);
    await expect(assistants.delete('nobody')).rejects.toMatchObject({ status: 404 });
  });

  it('[sdk.assistants.runs] runs the agent by its name and by its derived id alike', async () => {
    const { runs, threads } = user.client;
    const { thread_id } = await threads.create();
    const run = await runs.create(thread_id, DERIVED_ID, { input: ask('hi') });
    expect(run.assistant_id).toBe(AGENT);
    expect(await runs.join(thread_id, run.run_id)).toMatchObject({ messages: [{}, { content: 'hello' }] });
    const unknown = runs.create(thread_id, crypto.randomUUID(), { input: ask('hi') });
    await expect(unknown).rejects.toMatchObject({
      status: 404,
      message: 'HTTP 404: {"detail":"Assistant not found"}',
    });
  });

  it('[sdk.errors] returns a client error once, as {detail}, and shows another user nothing', async () => {
    const { threads, runs } = user.client;
    const { thread_id } = await threads.create();
    const mistakes: [() => Promise<unknown>, number][] = [
      [() => threads.get(crypto.randomUUID()), 404],
      [() => threads.get('a b'), 422],
      [() => threads.search({ limit: 100_000 }), 422],
      [() => runs.get(thread_id, crypto.randomUUID()), 404],
      [() => runs.cancel(thread_id, crypto.randomUUID()), 404],
      [() => runs.wait(thread_id, AGENT, { input: { messages: [{ content: 'no type' }] } }), 422],
      [() => runs.wait(thread_id, AGENT, { command: { resume: 1 } }), 409],
    ];
    for (const [mistake, status] of mistakes) {
      const before = user.sent.length;
      await expect(mistake()).rejects.toMatchObject({
        status,
        message: expect.stringMatching(new RegExp(`^HTTP ${status}: {"detail":`)),
      });
      expect(user.sent.length).toBe(before + 1);
    }
    const stranger = await openSdkUser(service, version);
    await expect(stranger.client.threads.get(thread_id)).rejects.toMatchObject({
      status: 404,
      message: 'HTTP 404: {"detail":"Thread not found"}',
    });
    expect(await stranger.client.threads.search()).toEqual([]);
  });
});

it('[sdk.runtime] says that it is there and what it offers, to everybody', async () => {
  const user = service.client();
  expect(await (await user.get('/api/graph/ok')).json()).toEqual({ ok: true });
  expect(await (await user.get('/api/graph/info')).json()).toEqual({
    version: '2.0.0-rc',
    flags: { assistants: true, crons: false, langsmith: false },
  });
});

it('[sdk.assistants] both prefixes know the agents', async () => {
  const user = await service.user();
  expect(await (await user.get(`/api/assistants/${AGENT}`)).json()).toMatchObject({ assistant_id: AGENT });
});
