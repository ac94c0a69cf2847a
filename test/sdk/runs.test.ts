// Runs from their creation to their end, as the official client drives them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import {
  ask,
  collected,
  openSdkUser,
  SDK_VERSIONS,
  type SdkUser,
  type State,
  textsOf,
  untilWords,
} from './official-client.ts';

const AGENT = 'lead_agent';

let service: ServedService;
beforeAll(async () => {
  service = await openServedService();
});
afterAll(() => service.close());

/** An answer that stops after the first words until the gate is opened. */
function gated(first: string, rest = ' done') {
  const gate = Promise.withResolvers<void>();
  return {
    open: () => gate.resolve(),
    answer: answer.script(
      step.text(first),
      step.until(gate.promise),
      step.text(rest),
      step.finish(),
      step.done(),
    ),
  };
}

describe.each(SDK_VERSIONS)('runs with SDK $version', (version) => {
  let user: SdkUser;
  let threadId: string;
  beforeEach(async () => {
    service.model.reset();
    service.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    user = await openSdkUser(service, version);
    threadId = (await user.client.threads.create()).thread_id;
  });
  const state = () => user.client.threads.getState<State>(threadId);
  const statusOf = async (runId: string) => (await user.client.runs.get(threadId, runId)).status;

  it('[sdk.runs.stream] streams a run with the requested modes and returns its id immediately', async () => {
    let created: unknown;
    const parts = await collected(
      user.client.runs.stream(threadId, AGENT, {
        input: ask('hi'),
        streamMode: ['values', 'messages-tuple', 'updates', 'custom'],
        onRunCreated: (run) => {
          created = run;
        },
      }),
    );
    const events = parts.map(({ event }) => event);
    expect(new Set(events)).toEqual(new Set(['metadata', 'values', 'messages', 'updates', 'end']));
    expect([events[0], events.at(-1)]).toEqual(['metadata', 'end']);
    const [run] = await user.client.runs.list(threadId);
    expect(created).toEqual({ run_id: run?.run_id, thread_id: threadId });
    const values = parts.filter(({ event }) => event === 'values').map(({ data }) => data as State);
    expect(textsOf(values[0] ?? { messages: [] })).toEqual(['human: hi']);
    expect((await state()).values).toMatchObject(values.at(-1) ?? {});
    const chunks = parts
      .filter(({ event }) => event === 'messages')
      .map(({ data }) => data as State['messages']);
    expect(chunks.map(([message]) => message?.content).join('')).toBe('re hi');
    expect(new Set(chunks.map(([message]) => message?.id))).toEqual(
      new Set([values.at(-1)?.messages.at(-1)?.id]),
    );
  });

  it('[plan.sdk] reads the plan in the stream, the state and the history, and can write it', async () => {
    const plans = (['in_progress', 'completed'] as const).map((status) => [{ content: 'bake', status }]);
    const writes = plans.map((todos) => answer.toolCalls([{ name: 'write_todos', args: { todos } }]));
    service.model.enqueue(...writes, answer.text('Done'));
    const parts = await collected(
      user.client.runs.stream(threadId, AGENT, {
        input: ask('a cake'),
        config: { configurable: { is_plan_mode: true } },
        streamMode: ['values', 'updates'],
      }),
    );
    const told = (name: string) => parts.filter(({ event }) => event === name).map(({ data }) => data);
    const seen = told('values').map((data) => JSON.stringify((data as State).todos));
    expect([...new Set(seen)]).toEqual([undefined, ...plans.map((it) => JSON.stringify(it))]);
    const changes = told('updates').flatMap((data) => (data as { tools?: State }).tools?.todos ?? []);
    expect(changes).toEqual(plans.flat());
    expect((await state()).values.todos).toEqual(plans[1]);
    const history = await user.client.threads.getHistory<State>(threadId, { limit: 100 });
    expect(history.map(({ values }) => values.todos)).toEqual(
      expect.arrayContaining([plans[1], plans[0], undefined]),
    );
    await user.client.threads.updateState(threadId, { values: { todos: plans[0] } });
    expect((await state()).values.todos).toEqual(plans[0]);
  });

  it('[sdk.runs.wait] waits for the final values, and throws the error of a failed run', async () => {
    const { runs } = user.client;
    expect(await runs.wait(threadId, AGENT, { input: ask('hi') })).toMatchObject({
      messages: [{ content: 'hi' }, { content: 're hi' }],
    });
    service.model.enqueue(answer.unauthorized());
    const failing = runs.wait(threadId, AGENT, { input: ask('again') });
    await expect(failing).rejects.toThrow(/^ModelError: \S/);
    service.model.enqueue(answer.unauthorized());
    const told = await runs.wait(threadId, AGENT, { input: ask('again'), raiseError: false });
    expect(told).toMatchObject({ __error__: { error: 'ModelError', message: expect.any(String) } });
    expect((await user.client.threads.get(threadId)).status).toBe('error');
  });

  it('[sdk.runs.create] creates a run in the background, joins it and reads its record', async () => {
    const { runs } = user.client;
    const held = gated('wait');
    service.model.enqueue(held.answer);
    const run = await runs.create(threadId, AGENT, { input: ask('hi'), metadata: { from: 'test' } });
    expect(run).toMatchObject({ thread_id: threadId, assistant_id: AGENT, metadata: { from: 'test' } });
    expect(['pending', 'running']).toContain(run.status);
    const joined = runs.join(threadId, run.run_id);
    held.open();
    expect(await joined).toMatchObject({ messages: [{ content: 'hi' }, { content: 'wait done' }] });
    expect(await runs.get(threadId, run.run_id)).toMatchObject({ run_id: run.run_id, status: 'success' });
    expect((await state()).values).toMatchObject(await runs.join(threadId, run.run_id));
  });

  it('[sdk.runs.list] lists runs as an array, newest first, by status and by field', async () => {
    const { runs } = user.client;
    const first = await runs.create(threadId, AGENT, { input: ask('1') });
    await runs.join(threadId, first.run_id);
    const held = gated('wait');
    service.model.enqueue(held.answer);
    const running = await runs.create(threadId, AGENT, { input: ask('2') });
    const queued = await runs.create(threadId, AGENT, { input: ask('3'), multitaskStrategy: 'enqueue' });
    const ids = (list: readonly { run_id: string }[]) => list.map(({ run_id }) => run_id);
    expect(ids(await runs.list(threadId))).toEqual([queued.run_id, running.run_id, first.run_id]);
    expect(ids(await runs.list(threadId, { limit: 1, offset: 1 }))).toEqual([running.run_id]);
    const pending = await runs.list(threadId, {
      status: 'pending',
      limit: 1000,
      select: ['run_id', 'kwargs', 'created_at'],
    });
    expect(pending).toEqual([
      { run_id: queued.run_id, created_at: expect.any(String), kwargs: expect.any(Object) },
    ]);
    expect(pending).toMatchObject([{ kwargs: { input: { messages: [{ content: '3', type: 'human' }] } } }]);
    const query = new URLSearchParams(user.sent.at(-1)?.path.split('?')[1]).getAll('select');
    const written = ['run_id', 'kwargs', 'created_at'];
    expect(query).toEqual(version.lists === 'repeated' ? written : [JSON.stringify(written)]);
    held.open();
    await runs.join(threadId, queued.run_id);
  });

  it('[sdk.runs.enqueue] runs what was queued in order, and removes from the queue what is cancelled', async () => {
    const { runs } = user.client;
    const held = gated('wait');
    service.model.enqueue(held.answer);
    const ids: string[] = [];
    for (const n of ['1', '2', '3']) {
      const run = await runs.create(threadId, AGENT, { input: ask(n), multitaskStrategy: 'enqueue' });
      ids.push(run.run_id);
    }
    const [, second = '', third = ''] = ids;
    await runs.cancel(threadId, second, true);
    expect(await statusOf(second)).toBe('interrupted');
    held.open();
    await runs.join(threadId, third);
    expect(textsOf((await state()).values)).toEqual(['human: 1', 'ai: wait done', 'human: 3', 'ai: re 3']);
  });

  it('[sdk.runs.cancel] cancels a run with and without waiting, keeps what it said, and is idempotent', async () => {
    const { runs } = user.client;
    service.model.enqueue(gated('partial').answer);
    const run = await runs.create(threadId, AGENT, { input: ask('hi'), streamMode: 'messages-tuple' });
    await untilWords(user, run);
    await runs.cancel(threadId, run.run_id);
    await runs.cancel(threadId, run.run_id, true);
    expect(await statusOf(run.run_id)).toBe('interrupted');
    expect(textsOf((await state()).values)).toEqual(['human: hi', 'ai: partial']);
    expect(await state()).toMatchObject({ next: [], tasks: [] });
    await runs.cancel(threadId, run.run_id, true);
    expect((await runs.wait(threadId, AGENT, { input: ask('more') })) as State).toMatchObject({
      messages: { length: 4 },
    });
  });

  it('[sdk.runs.rollback] cancels a run with everything that it changed', async () => {
    const { runs } = user.client;
    await runs.wait(threadId, AGENT, { input: ask('keep') });
    const before = (await state()).values;
    service.model.enqueue(gated('partial').answer);
    const run = await runs.create(threadId, AGENT, { input: ask('undo'), streamMode: 'messages-tuple' });
    await untilWords(user, run);
    await runs.cancel(threadId, run.run_id, true, 'rollback');
    expect((await state()).values).toEqual(before);
  });

  it('[sdk.runs.multitask] reject refuses with 409; interrupt and rollback end the run before', async () => {
    const { runs } = user.client;
    service.model.enqueue(gated('first').answer, gated('second').answer);
    const begun = async (content: string, multitaskStrategy: 'interrupt' | 'rollback') => {
      const run = await runs.create(threadId, AGENT, {
        input: ask(content),
        multitaskStrategy,
        streamMode: 'messages-tuple',
      });
      await untilWords(user, run);
      return run.run_id;
    };
    const first = await begun('1', 'interrupt');
    const refused = runs.create(threadId, AGENT, { input: ask('x'), multitaskStrategy: 'reject' });
    await expect(refused).rejects.toMatchObject({ status: 409 });
    const second = await begun('2', 'interrupt');
    expect(await statusOf(first)).toBe('interrupted');
    await runs.wait(threadId, AGENT, { input: ask('3'), multitaskStrategy: 'rollback' });
    expect(await statusOf(second)).toBe('interrupted');
    expect(textsOf((await state()).values)).toEqual(['human: 1', 'ai: first', 'human: 3', 'ai: re 3']);
  });

  it('[sdk.runs.delete] deletes an ended run; the state stays', async () => {
    const { runs } = user.client;
    await runs.wait(threadId, AGENT, { input: ask('hi') });
    const [run] = await runs.list(threadId);
    await runs.delete(threadId, run?.run_id ?? '');
    expect(await runs.list(threadId)).toEqual([]);
    await expect(runs.get(threadId, run?.run_id ?? '')).rejects.toMatchObject({ status: 404 });
    expect((await state()).values.messages).toHaveLength(2);
  });

  it('[sdk.runs.thread] if_not_exists makes the thread, after_seconds delays the run', async () => {
    const { runs } = user.client;
    const id = crypto.randomUUID();
    await expect(runs.wait(id, AGENT, { input: ask('hi') })).rejects.toMatchObject({ status: 404 });
    await runs.wait(id, AGENT, { input: ask('hi'), ifNotExists: 'create' });
    const delayed = await runs.create(id, AGENT, { input: ask('later'), afterSeconds: 3600 });
    expect(await runs.get(id, delayed.run_id)).toMatchObject({ status: 'pending' });
    await runs.cancel(id, delayed.run_id, true);
    expect(await runs.get(id, delayed.run_id)).toMatchObject({ status: 'interrupted' });
  });

  it('[sdk.runs.stateless] streams, waits, creates and joins runs without a thread', async () => {
    const { runs, threads } = user.client;
    const streamed = await collected(runs.stream(null, AGENT, { input: ask('a'), streamMode: 'values' }));
    expect(streamed.findLast(({ event }) => event === 'values')?.data).toMatchObject({
      messages: [{ content: 'a' }, { content: 're a' }],
    });
    expect(await runs.wait(null, AGENT, { input: ask('b') })).toMatchObject({ messages: { length: 2 } });
    const held = gated('wait');
    service.model.enqueue(held.answer);
    const run = await runs.create(null, AGENT, { input: ask('c') });
    held.open();
    const joined = await collected(runs.joinStream(null, run.run_id, { streamMode: ['values'] }));
    expect(joined.findLast(({ event }) => event === 'values')?.data).toMatchObject({
      messages: [{ content: 'c' }, { content: 'wait done' }],
    });
    const batch = await runs.createBatch([
      { assistantId: AGENT, input: ask('d') },
      { assistantId: AGENT, input: ask('e'), onCompletion: 'complete' },
    ]);
    expect(batch).toHaveLength(2);
    for (const { thread_id, run_id } of batch) await runs.join(thread_id, run_id);
    expect(await threads.count()).toBe(6);
    const stranger = await openSdkUser(service, version);
    await expect(collected(stranger.client.runs.joinStream(null, run.run_id))).rejects.toMatchObject({
      status: 404,
    });
  });

  it('[sdk.runs.disconnect] a reader that leaves ends the run only with on_disconnect cancel', async () => {
    const { runs } = user.client;
    for (const [onDisconnect, status] of [
      ['continue', 'success'],
      ['cancel', 'interrupted'],
    ] as const) {
      const held = gated('first');
      service.model.enqueue(held.answer);
      const leave = new AbortController();
      const stream = runs.stream(threadId, AGENT, {
        input: ask('hi'),
        streamMode: 'messages-tuple',
        onDisconnect,
        signal: leave.signal,
      });
      for await (const { event } of stream) if (event === 'messages') leave.abort();
      const [run] = await runs.list(threadId, { limit: 1 });
      if (onDisconnect === 'continue') held.open();
      await expect.poll(() => statusOf(run?.run_id ?? '')).toBe(status);
    }
  });

  it('[sdk.runs.disconnect] cancelOnDisconnect ties the run to its reader', async () => {
    const { runs } = user.client;
    service.model.enqueue(gated('first').answer);
    const run = await runs.create(threadId, AGENT, { input: ask('hi'), streamMode: 'messages-tuple' });
    await untilWords(user, run);
    expect(await statusOf(run.run_id)).toBe('running');
    const leave = new AbortController();
    const options = { signal: leave.signal, cancelOnDisconnect: true };
    for await (const { event } of runs.joinStream(threadId, run.run_id, options)) {
      if (event === 'messages') leave.abort();
    }
    await expect.poll(() => statusOf(run.run_id)).toBe('interrupted');
  });
});
