// Threads, their state and their history, as the official client works with them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, question } from '../support/service.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { ask, openSdkUser, SDK_VERSIONS, type SdkUser, type State, textsOf } from './official-client.ts';

let service: ServedService;
beforeAll(async () => {
  service = await openServedService();
});
afterAll(() => service.close());

describe.each(SDK_VERSIONS)('threads with SDK $version', (version) => {
  let user: SdkUser;
  beforeEach(async () => {
    service.model.reset();
    service.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    user = await openSdkUser(service, version);
  });

  it('[sdk.threads.crud] creates, reads, changes and deletes a thread', async () => {
    const { threads } = user.client;
    const made = await threads.create({ metadata: { project: 'p1' }, graphId: 'lead_agent' });
    expect(made).toMatchObject({
      status: 'idle',
      metadata: { project: 'p1', graph_id: 'lead_agent' },
      values: {},
      interrupts: {},
    });
    expect(Date.parse(made.created_at)).toBeGreaterThan(0);
    await threads.update(made.thread_id, { metadata: { stage: 2 } });
    expect((await threads.get(made.thread_id)).metadata).toEqual({
      project: 'p1',
      graph_id: 'lead_agent',
      stage: 2,
    });
    await threads.delete(made.thread_id);
    await expect(threads.get(made.thread_id)).rejects.toMatchObject({ status: 404 });
  });

  it('[sdk.threads.ids] takes an id of the client, and creates it once with if_exists', async () => {
    const { threads } = user.client;
    const threadId = crypto.randomUUID();
    const made = await threads.create({ threadId, ifExists: 'raise', metadata: { n: 1 } });
    expect(made.thread_id).toBe(threadId);
    expect(await threads.create({ threadId, ifExists: 'do_nothing' })).toMatchObject({ metadata: { n: 1 } });
    await expect(threads.create({ threadId, ifExists: 'raise' })).rejects.toMatchObject({ status: 409 });
    await expect(threads.create({ threadId: 'a|b' })).rejects.toMatchObject({ status: 422 });
    await expect(threads.getState('no/such thread?')).rejects.toMatchObject({
      status: version.version === '1.15.0' ? 422 : 404,
    });
    await expect(threads.getState('n|x')).rejects.toMatchObject({ status: 422 });
  });

  it('[sdk.threads.supersteps] begins a thread with states that it is given', async () => {
    const { threads, runs } = user.client;
    const message = (type: string, content: string) => ({ messages: [{ type, content }] });
    const { thread_id } = await threads.create({
      supersteps: [
        { updates: [{ values: message('human', 'one'), asNode: '__start__' }] },
        { updates: [{ values: { ...message('ai', 'first'), title: 'Given' }, asNode: 'model' }] },
      ],
    });
    const given = await threads.getState<State>(thread_id);
    expect([textsOf(given.values), given.next]).toEqual([['human: one', 'ai: first'], []]);
    expect(await threads.getHistory(thread_id)).toHaveLength(2);
    expect((await threads.get(thread_id)).values).toMatchObject({ title: 'Given' });
    await runs.wait(thread_id, 'lead_agent', { input: ask('two') });
    expect(textsOf((await threads.getState<State>(thread_id)).values)).toHaveLength(4);
    const bad = { supersteps: [{ updates: [{ values: { nonsense: 1 }, asNode: 'model' }] }] };
    await expect(threads.create(bad)).rejects.toMatchObject({ status: 422 });
    expect(await threads.count()).toBe(1);
  });

  it('[sdk.threads.search] searches, pages, counts, sorts and selects', async () => {
    const { threads } = user.client;
    const group = crypto.randomUUID();
    // In the order of their ids, too: all may be made within one millisecond.
    const ids = [1, 2, 3].map((n) => `${group}-${n}`);
    for (const [index, threadId] of ids.entries())
      await threads.create({ threadId, metadata: { group, n: index + 1 } });
    const found = await threads.search({
      metadata: { group },
      limit: 2,
      sortBy: 'created_at',
      sortOrder: 'asc',
    });
    expect(found.map(({ thread_id }) => thread_id)).toEqual(ids.slice(0, 2));
    const rest = await threads.search({
      metadata: { group },
      limit: 2,
      offset: 2,
      sortBy: 'created_at',
      sortOrder: 'asc',
    });
    expect(rest.map(({ thread_id }) => thread_id)).toEqual(ids.slice(2));
    expect(await threads.count({ metadata: { group } })).toBe(3);
    expect(await threads.count({ metadata: { group }, status: 'busy' })).toBe(0);
    const [selected] = await threads.search({
      ids: [ids[1] ?? ''],
      select: ['thread_id', 'metadata'],
      sortBy: 'state_updated_at',
    });
    expect(selected).toEqual({ thread_id: ids[1], metadata: { group, n: 2 } });
  });

  it('[sdk.state.empty] reads the state of a thread without a run as an empty one', async () => {
    const { threads } = user.client;
    const { thread_id } = await threads.create();
    expect(await threads.getState(thread_id)).toMatchObject({
      values: {},
      next: [],
      tasks: [],
      checkpoint: null,
    });
    expect(await threads.getHistory(thread_id)).toEqual([]);
  });

  it('[sdk.state] reads the state now and at every checkpoint, by id and by object', async () => {
    const { threads, runs } = user.client;
    const { thread_id } = await threads.create();
    await runs.wait(thread_id, 'lead_agent', { input: ask('one') });
    await runs.wait(thread_id, 'lead_agent', { input: ask('two') });
    const now = await threads.getState<State>(thread_id);
    expect(textsOf(now.values)).toEqual(['human: one', 'ai: re one', 'human: two', 'ai: re two']);
    const history = await threads.getHistory<State>(thread_id, { limit: 50 });
    expect(history[0]).toEqual(now);
    const ids = history.map(({ checkpoint }) => checkpoint.checkpoint_id ?? '');
    expect(ids).toEqual(ids.toSorted().toReversed());
    for (const [index, entry] of history.entries()) {
      expect(entry.parent_checkpoint?.checkpoint_id).toBe(ids[index + 1]);
    }
    const early = history.find(({ values }) => textsOf(values).at(-1) === 'ai: re one');
    const id = early?.checkpoint.checkpoint_id ?? '';
    expect(await threads.getState(thread_id, id)).toEqual(early);
    expect(await threads.getState(thread_id, early?.checkpoint)).toEqual(early);
    const [before] = await threads.getHistory(thread_id, {
      limit: 1,
      before: { configurable: { checkpoint_id: id } },
    });
    expect(before?.checkpoint.checkpoint_id).toBe(early?.parent_checkpoint?.checkpoint_id);
  });

  it('[sdk.state.history] finds checkpoints by their metadata, and none of graphs that it does not have', async () => {
    const { threads, runs } = user.client;
    const { thread_id } = await threads.create();
    for (const text of ['one', 'two']) await runs.wait(thread_id, 'lead_agent', { input: ask(text) });
    const [second, first] = await runs.list(thread_id);
    const ofFirst = await threads.getHistory<State>(thread_id, {
      limit: 2,
      metadata: { run_id: first?.run_id, source: 'loop' },
    });
    expect(ofFirst.map(({ values }) => textsOf(values).at(-1))).toEqual(['ai: re one', 'human: one']);
    const inputs = await threads.getHistory<State>(thread_id, {
      metadata: { run_id: second?.run_id, source: 'input' },
    });
    expect(inputs.map(({ values }) => textsOf(values).at(-1))).toEqual(['human: two']);
    expect(await threads.getHistory(thread_id, { metadata: { source: 'fork' } })).toEqual([]);
    expect(await threads.getHistory(thread_id, { checkpoint: { checkpoint_ns: 'tools:1' } })).toEqual([]);
  });

  it('[sdk.state.update] changes the state as a node and forks from an older checkpoint', async () => {
    const { threads, runs } = user.client;
    const { thread_id } = await threads.create();
    await runs.wait(thread_id, 'lead_agent', { input: ask('one') });
    const head = await threads.getState<State>(thread_id);
    const [asked] = head.values.messages;
    const updated = await threads.updateState(thread_id, {
      values: { messages: [{ id: asked?.id, type: 'human', content: 'one, edited' }], title: 'Edited' },
    });
    const { checkpoint } = updated as unknown as { checkpoint: { checkpoint_id: string; thread_id: string } };
    expect(checkpoint).toMatchObject({ thread_id, checkpoint_ns: '', checkpoint_id: expect.any(String) });
    const edited = await threads.getState<State>(thread_id);
    expect(edited.checkpoint.checkpoint_id).toBe(checkpoint.checkpoint_id);
    expect(textsOf(edited.values)).toEqual(['human: one, edited', 'ai: re one']);
    const history = await threads.getHistory<State>(thread_id, { limit: 50 });
    const start = history.find(({ values }) => values.messages.length === 1);
    await threads.updateState(thread_id, {
      values: { messages: [{ type: 'human', content: 'another' }] },
      checkpointId: start?.checkpoint.checkpoint_id ?? '',
      asNode: '__start__',
    });
    expect((await threads.getState(thread_id)).next).toEqual(['model']);
    service.model.enqueue(answer.text('re another'));
    await runs.wait(thread_id, 'lead_agent', { input: null });
    const forked = await threads.getState<State>(thread_id);
    expect(textsOf(forked.values)).toEqual(['human: one', 'human: another', 'ai: re another']);
    const again = await threads.getHistory<State>(thread_id, { limit: 50 });
    expect(again.slice(-history.length)).toEqual(history);
  });

  it('[sdk.threads.copy] copies a thread into an independent one', async () => {
    const { threads, runs } = user.client;
    const { thread_id } = await threads.create({ metadata: { project: 'p1' } });
    await runs.wait(thread_id, 'lead_agent', { input: ask('one') });
    const past = await threads.getHistory<State>(thread_id, { limit: 50 });
    const copy = await threads.copy(thread_id);
    // The types of the SDK promise nothing, its server answers the thread.
    const { thread_id: copyId } = copy as unknown as { thread_id: string };
    expect(copy).toMatchObject({ status: 'idle', metadata: { project: 'p1' } });
    expect(copyId).not.toBe(thread_id);
    await runs.wait(copyId, 'lead_agent', { input: ask('two') });
    await threads.delete(thread_id);
    const { values } = await threads.getState<State>(copyId);
    expect(textsOf(values)).toEqual(['human: one', 'ai: re one', 'human: two', 'ai: re two']);
    const history = await threads.getHistory<State>(copyId, { limit: 50 });
    expect(history.slice(-past.length).map((entry) => entry.values)).toEqual(
      past.map((entry) => entry.values),
    );
    await expect(threads.copy(thread_id)).rejects.toMatchObject({ status: 404 });
  });
});

it('[sdk.threads.copy] copies under the other prefix, too', async () => {
  service.model.reset();
  service.model.onRequest(() => answer.text('hello'));
  const user = await service.user();
  const threadId = await newThread(user, '/api');
  await jsonOf(user.post(`/api/threads/${threadId}/runs/wait`, question('hi')));
  const copy = await user.post(`/api/threads/${threadId}/copy`);
  expect(copy.status).toBe(200);
  const { thread_id: copyId } = await jsonOf<{ thread_id: string }>(copy);
  const state = await jsonOf<{ values: State }>(user.get(`/api/threads/${copyId}/state`));
  expect(textsOf(state.values)).toEqual(['human: hi', 'ai: hello']);
  expect((await user.delete(`/api/threads/${copyId}`)).status).toBe(200);
  expect((await user.get(`/api/threads/${threadId}`)).status).toBe(200);
});
