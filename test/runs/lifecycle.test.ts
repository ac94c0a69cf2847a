// Runs that are interrupted, wait, repeat, are rolled back or removed (docs/contract/runs.md).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson, type ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import type { EventJson } from '../support/record-json.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

import { framesOf } from '../support/sse.ts';

let test: TestService;
let client: HttpClient;
let threadId: string;
beforeEach(async () => {
  test = await openTestService();
  client = await test.user();
  threadId = await newThread(client);
});
afterEach(() => test.close());

const runs = (path = '') => `/api/graph/threads/${threadId}/runs${path}`;
const run = (runId: string) => jsonOf<RunJson>(client.get(runs(`/${runId}`)));
const contents = async () => {
  const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  return state.values.messages.map(({ content }) => content);
};

/** Starts a run that produces some words and then hangs. */
async function hangingRun(fields: Record<string, unknown> = {}): Promise<string> {
  test.model.enqueue(answer.hangMidStream('some words'));
  const response = await client.post(
    runs('/stream'),
    question('long question', { stream_mode: ['messages-tuple'], ...fields }),
  );
  for await (const { event } of framesOf(response)) if (event === 'messages') break;
  return /runs\/([^/]+)/.exec(response.headers.get('content-location') ?? '')?.[1] ?? '';
}

describe('a run on a busy thread', () => {
  it('[runs.multitask.interrupt] interrupt ends the run before it, keeps its text, and starts', async () => {
    const first = await hangingRun();
    test.model.enqueue(answer.text('second answer'));
    await streamed(client, threadId, question('second', { multitask_strategy: 'interrupt' }));
    expect(await run(first)).toMatchObject({ status: 'interrupted', stop_reason: 'replaced' });
    const [question1, partial, ...rest] = await contents();
    expect([question1, ...rest]).toEqual(['long question', 'second', 'second answer']);
    expect('some words').toContain(partial);
  });

  it('[runs.multitask.rollback] [fault.F43] rollback removes the run before it from the state, and keeps its events', async () => {
    test.model.enqueue(answer.text('kept'));
    await streamed(client, threadId, question('before'));
    const first = await hangingRun();
    test.model.enqueue(answer.text('second answer'));
    await streamed(client, threadId, question('second', { multitask_strategy: 'rollback' }));
    expect(await run(first)).toMatchObject({ status: 'interrupted', stop_reason: 'rolled_back' });
    expect(await contents()).toEqual(['before', 'kept', 'second', 'second answer']);
    const replay = await (await client.get(runs(`/${first}/stream`))).text();
    expect(replay).toContain('some');
  });

  it('[runs.multitask.pending] interrupt and rollback end waiting runs, too', async () => {
    const first = await hangingRun();
    const queued = await jsonOf<RunJson>(client.post(runs(), question('queued')));
    test.model.enqueue(answer.text('last answer'));
    await streamed(client, threadId, question('last', { multitask_strategy: 'rollback' }));
    expect(await run(first)).toMatchObject({ stop_reason: 'rolled_back' });
    expect(await run(queued.run_id)).toMatchObject({
      status: 'interrupted',
      stop_reason: 'rolled_back',
      attempt: 0,
    });
    expect(await contents()).toEqual(['last', 'last answer']);
  });
});

describe('cancelling with rollback', () => {
  it('[runs.cancel.rollback] restores the state from before the run, also on a thread that had none', async () => {
    const first = await hangingRun();
    expect((await client.post(runs(`/${first}/cancel?wait=1&action=rollback`))).status).toBe(204);
    expect(await run(first)).toMatchObject({ status: 'interrupted', stop_reason: 'rolled_back' });
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect([state.values, state.checkpoint]).toEqual([{}, null]);
    test.model.enqueue(answer.text('fresh'));
    await streamed(client, threadId, question('again'));
    expect(await contents()).toEqual(['again', 'fresh']);
  });

  describe('a run from an older checkpoint', () => {
    let older: string | undefined;
    const kept = ['one', 'first', 'two', 'second'];
    const listed = async () => {
      const events = await jsonOf<EventJson[]>(client.get(`/api/threads/${threadId}/messages`));
      return events.map(({ content }) => content.content);
    };
    beforeEach(async () => {
      for (const [asked, said] of [
        ['one', 'first'],
        ['two', 'second'],
      ]) {
        test.model.enqueue(answer.text(said ?? ''));
        await streamed(client, threadId, question(asked ?? ''));
        older ??= (await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`))).checkpoint
          ?.checkpoint_id;
      }
    });
    afterEach(() => {
      older = undefined;
    });

    it('[runs.rollback.branch] returns to the state of the thread before the run, not to that checkpoint', async () => {
      const before = await client.get(`/api/graph/threads/${threadId}/state`);
      const branch = await hangingRun({ checkpoint_id: older });
      expect(await listed()).toEqual(['one', 'first', 'long question']);
      expect((await client.post(runs(`/${branch}/cancel?wait=1&action=rollback`))).status).toBe(204);
      expect([await contents(), await listed()]).toEqual([kept, kept]);
      const now = await client.get(`/api/graph/threads/${threadId}/state`);
      expect(await now.json()).toEqual(await before.json());
      expect(await jsonOf(client.get(runs(`/${branch}/join`)))).toMatchObject({
        messages: kept.map((content) => expect.objectContaining({ content })),
      });
      test.model.enqueue(answer.text('third'));
      await streamed(client, threadId, question('three'));
      expect([await contents(), await listed()]).toEqual(Array(2).fill([...kept, 'three', 'third']));
    });

    it('[runs.rollback.branch] returns there, too, when another run replaces it', async () => {
      const branch = await hangingRun({ checkpoint_id: older });
      test.model.enqueue(answer.text('third'));
      await streamed(client, threadId, question('three', { multitask_strategy: 'rollback' }));
      expect(await run(branch)).toMatchObject({ stop_reason: 'rolled_back' });
      expect([await contents(), await listed()]).toEqual(Array(2).fill([...kept, 'three', 'third']));
    });

    it('[runs.rollback.branch] [messages.edited] undoes what the run had edited and removed', async () => {
      const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
      const [one, first] = state.values.messages;
      const messages = [
        { id: one?.id, type: 'human', content: 'edited' },
        { type: 'remove', id: first?.id },
      ];
      for (const checkpoint_id of [older, undefined]) {
        const branch = await hangingRun({ checkpoint_id, command: { update: { messages } }, input: null });
        expect((await listed())[0]).toBe('edited');
        await client.post(runs(`/${branch}/cancel?wait=1&action=rollback`));
        expect([await contents(), await listed()]).toEqual([kept, kept]);
      }
    });
  });

  it('[runs.cancel.over] [fault.F41] changes nothing after the end, repeated or from any process', async () => {
    test.model.enqueue(answer.text('done'));
    await streamed(client, threadId, question('hi'));
    const [ended] = await jsonOf<RunJson[]>(client.get(runs('?limit=1')));
    for (const query of ['?wait=1', '?wait=0&action=rollback', '']) {
      expect((await client.post(runs(`/${ended?.run_id}/cancel${query}`))).status).toBeLessThan(300);
    }
    expect(await run(ended?.run_id ?? '')).toEqual(ended);
    expect(await contents()).toEqual(['hi', 'done']);
    expect((await client.post(runs('/nothing/cancel'))).status).toBe(404);
    expect((await client.post(runs(`/${ended?.run_id}/cancel?action=nonsense`))).status).toBe(422);
  });

  it('[runs.cancel.race] [fault.F42] against completion: exactly one end, and the thread is usable', async () => {
    for (let round = 0; round < 30; round++) {
      const thread = await newThread(client);
      const gate = Promise.withResolvers<void>();
      test.model.onRequest(async () => {
        await gate.promise;
        return answer.text('whole answer');
      });
      const created = await jsonOf<RunJson>(client.post(`/api/graph/threads/${thread}/runs`, question('hi')));
      const path = `/api/graph/threads/${thread}/runs/${created.run_id}`;
      const stream = client.get(`${path}/stream`);
      gate.resolve();
      if (round % 3 > 0) await new Promise((resolve) => setImmediate(resolve));
      await client.post(`${path}/cancel?wait=1`);
      const frames = [];
      for await (const frame of framesOf(await stream)) frames.push(frame.event);
      expect(frames.filter((event) => event === 'end')).toHaveLength(1);
      const ended = await jsonOf<RunJson>(client.get(path));
      expect(['success', 'interrupted']).toContain(ended.status);
    }
  });
});

describe('a run that was requested before', () => {
  it('[runs.idempotency] [fault.F40] the same key is the same run for a day, for this user only', async () => {
    test.model.onRequest(() => answer.text('ok'));
    const key = { 'idempotency-key': 'k1' };
    const bodies = await Promise.all(
      // Many retries at the same time.
      Array.from({ length: 50 }, () => jsonOf<RunJson>(client.post(runs(), question('hi'), key))),
    );
    expect(new Set(bodies.map(({ run_id }) => run_id)).size).toBe(1);
    const [first] = bodies;
    await client.get(runs(`/${first?.run_id}/join`)).then((it) => it.text());
    expect(await contents()).toEqual(['hi', 'ok']);
    const stateless = await client.post('/api/graph/runs/stream', question('hi'), key);
    expect(stateless.headers.get('content-location')).toContain(first?.run_id);
    await stateless.text();
    const stranger = await test.user();
    const theirs = await newThread(stranger);
    const other = await jsonOf<RunJson>(
      stranger.post(`/api/graph/threads/${theirs}/runs`, question('hi'), key),
    );
    expect(other.run_id).not.toBe(first?.run_id);
    expect((await client.post(runs(), question('hi'), { 'idempotency-key': 'x'.repeat(256) })).status).toBe(
      422,
    );
  });
});

describe('a run that starts later', () => {
  it('[runs.delayed] waits for its after_seconds, lets others pass, and can be cancelled', async () => {
    test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    const later = await jsonOf<RunJson>(client.post(runs(), question('later', { after_seconds: 3_600 })));
    const soon = await jsonOf<RunJson>(client.post(runs(), question('soon', { after_seconds: 0.05 })));
    await client.get(runs(`/${soon.run_id}/join`)).then((it) => it.text());
    expect(await contents()).toEqual(['soon', 're soon']);
    expect(await run(later.run_id)).toMatchObject({ status: 'pending' });
    expect((await client.post(runs(`/${later.run_id}/cancel?wait=1`))).status).toBe(204);
    expect(await run(later.run_id)).toMatchObject({ status: 'interrupted' });
    expect((await client.post(runs(), question('x', { after_seconds: -1 }))).status).toBe(422);
  });
});

describe('runs that are removed or many', () => {
  it('[runs.delete] removes an ended run with its record, not the state; an active one is 409', async () => {
    test.model.enqueue(answer.text('done'));
    await streamed(client, threadId, question('hi'));
    const [ended] = await jsonOf<RunJson[]>(client.get(runs('?limit=1')));
    const active = await hangingRun();
    expect((await client.delete(runs(`/${active}`))).status).toBe(409);
    expect((await client.delete(runs(`/${ended?.run_id}`))).status).toBe(204);
    expect((await client.delete(runs(`/${ended?.run_id}`))).status).toBe(404);
    expect((await client.get(runs(`/${ended?.run_id}`))).status).toBe(404);
    expect((await contents()).slice(0, 2)).toEqual(['hi', 'done']);
  });

  it('[runs.batch] creates one run for every body, each on its own thread', async () => {
    test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    const created = await jsonOf<RunJson[]>(
      client.post('/api/graph/runs/batch', [question('a'), question('b')]),
    );
    expect(new Set(created.map(({ thread_id }) => thread_id)).size).toBe(2);
    for (const { thread_id, run_id } of created) {
      const values = await jsonOf<ValuesJson>(
        client.get(`/api/graph/threads/${thread_id}/runs/${run_id}/join`),
      );
      expect(values.messages).toHaveLength(2);
    }
    for (const bad of [[], {}, [question('a'), 7]]) {
      expect((await client.post('/api/graph/runs/batch', bad)).status).toBe(422);
    }
  });

  it('[runs.stateless.delete] on_completion "delete" removes the thread that a stateless run was given', async () => {
    test.model.onRequest(() => answer.text('ok'));
    const body = question('hi', { on_completion: 'delete' });
    for (const path of ['/stream', '/wait', '']) {
      const response = await client.post(`/api/graph/runs${path}`, body);
      const [, made = ''] = /threads\/([^/]+)/.exec(response.headers.get('content-location') ?? '') ?? [];
      const text = await response.text();
      if (path !== '') expect(text).toContain('ok');
      await expect.poll(async () => (await client.get(`/api/threads/${made}`)).status).toBe(404);
    }
    await streamed(client, threadId, body);
    expect(await contents()).toEqual(['hi', 'ok']);
  });

  it('[state.checkpoint] returns the state at a checkpoint, by path and by body; an unknown one is 404', async () => {
    test.model.enqueue(answer.text('done'));
    await streamed(client, threadId, question('hi'));
    const thread = `/api/graph/threads/${threadId}`;
    const history = await jsonOf<StateJson[]>(client.post(`${thread}/history`));
    const first = history.at(-1);
    const id = first?.checkpoint?.checkpoint_id;
    expect(await jsonOf(client.get(`${thread}/state/${id}`))).toEqual(first);
    expect(
      await jsonOf(client.post(`${thread}/state/checkpoint`, { checkpoint: { checkpoint_id: id } })),
    ).toEqual(first);
    expect((await client.get(`${thread}/state/nothing`)).status).toBe(404);
  });
});
