// Several runs on one thread, and runs that are cancelled (docs/contract/runs.md#several-runs-on-one-thread).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson, type ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { allFrames, dataOf, framesOf } from '../support/sse.ts';

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
});
afterEach(() => test.close());

const runsOf = (prefix: string, threadId: string) => `${prefix}/threads/${threadId}/runs`;

describe('a busy thread', () => {
  it('[runs.multitask.reject] refuses a second run with 409 under /api', async () => {
    const client = await test.user();
    const threadId = await newThread(client, '/api');
    test.model.enqueue(answer.hangMidStream('one'));
    const first = await client.post(
      `${runsOf('/api', threadId)}/stream`,
      question('one', { stream_mode: ['messages-tuple'] }),
    );
    for await (const { event } of framesOf(first)) if (event === 'messages') break;
    const second = await client.post(`${runsOf('/api', threadId)}/stream`, question('two'));
    expect(second.status).toBe(409);
    expect(await second.json()).toEqual({ detail: expect.stringContaining('busy') });
  });

  it('[runs.multitask.enqueue] runs one after another in order under /api/graph, each once', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    const texts = Array.from({ length: 8 }, (_, index) => `q${index}`);
    const created: RunJson[] = [];
    for (const text of texts)
      created.push(await jsonOf<RunJson>(client.post(runsOf('/api/graph', threadId), question(text))));
    const last = created.at(-1);
    const values = await jsonOf<ValuesJson>(
      client.get(`${runsOf('/api/graph', threadId)}/${last?.run_id}/join`),
    );
    expect(values.messages.map(({ content }) => content)).toEqual(
      texts.flatMap((text) => [text, `re ${text}`]),
    );
    expect(test.model.requests).toHaveLength(8);
  });

  it('[runs.active.one] never executes two runs of a thread at the same time', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    let open = 0;
    let most = 0;
    test.model.onRequest(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return answer.text('ok');
    });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        client.post(`${runsOf('/api/graph', threadId)}/wait`, question(`q${index}`)),
      ),
    );
    for (const response of answers) expect(response.status).toBe(200);
    await Promise.all(answers.map((response) => response.text()));
    expect(most).toBe(1);
    const state = await jsonOf<StateJson>(client.get(`/api/threads/${threadId}/state`));
    expect(state.values.messages).toHaveLength(24);
  });
});

describe('cancelling', () => {
  it('[runs.cancel] [fault.F41] ends a streaming run as interrupted, keeps its partial text, and is idempotent', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.hangMidStream('half an answer'));
    const body = question('hi', { stream_mode: ['messages-tuple', 'values'] });
    const response = await client.post(`${runsOf('/api/graph', threadId)}/stream`, body);
    const frames = [];
    let cancelled = false;
    for await (const frame of framesOf(response)) {
      frames.push(frame);
      if (frame.event !== 'messages' || cancelled) continue;
      cancelled = true;
      const { run_id } = dataOf<{ run_id: string }>(frames, 'metadata')[0] ?? { run_id: '' };
      const cancel = `${runsOf('/api/graph', threadId)}/${run_id}/cancel`;
      expect((await client.post(`${cancel}?wait=0&action=interrupt`)).status).toBe(202);
      expect((await client.post(`${cancel}?wait=1`)).status).toBe(204);
      expect((await client.post(`${cancel}?wait=0`)).status).toBe(202);
    }
    expect(frames.at(-1)?.event).toBe('end');
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.next).toEqual([]);
    expect('half an answer').toContain(state.values.messages.at(-1)?.content);
    expect(state.values.messages.at(-1)).toMatchObject({
      type: 'ai',
      response_metadata: { finish_reason: 'interrupted' },
    });
    const thread = await jsonOf<{ status: string }>(client.get(`/api/threads/${threadId}`));
    expect(thread.status).toBe('interrupted');
  });

  it('[runs.cancel.pending] [fault.F41] ends a run that has not started; the run before it continues', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    const gate = Promise.withResolvers<void>();
    test.model.onRequest(async () => {
      await gate.promise;
      return answer.text('one');
    });
    const first = await jsonOf<RunJson>(client.post(runsOf('/api/graph', threadId), question('one')));
    const second = await jsonOf<RunJson>(client.post(runsOf('/api/graph', threadId), question('two')));
    expect(
      (await client.post(`${runsOf('/api/graph', threadId)}/${second.run_id}/cancel?wait=1`)).status,
    ).toBe(204);
    gate.resolve();
    const values = await jsonOf<ValuesJson>(
      client.get(`${runsOf('/api/graph', threadId)}/${first.run_id}/join`),
    );
    expect(values.messages.map(({ content }) => content)).toEqual(['one', 'one']);
    const ended = await jsonOf<RunJson>(client.get(`${runsOf('/api/graph', threadId)}/${second.run_id}`));
    expect(ended).toMatchObject({ status: 'interrupted', stop_reason: 'interrupted_by_user', attempt: 0 });
  });

  it.each([
    ['interrupt', 'interrupted_by_user'],
    ['rollback', 'rolled_back'],
  ])(
    '[runs.stream.never-started] %s of a run that has not started shows its readers metadata and end',
    async (action, reason) => {
      const client = await test.user();
      const threadId = await newThread(client);
      const path = runsOf('/api/graph', threadId);
      test.model.enqueue(answer.hangMidStream('one'));
      await client.post(path, question('one'));
      const { run_id } = await jsonOf<RunJson>(client.post(path, question('two')));
      const live = framesOf(await client.get(`${path}/${run_id}/stream`));
      const next = live.next();
      expect((await client.post(`${path}/${run_id}/cancel?wait=1&action=${action}`)).status).toBe(204);
      const expected = [
        { event: 'metadata', data: { run_id, thread_id: threadId, attempt: 0 }, id: '1-0-none' },
        { event: 'end', data: {}, id: '2-0-none' },
      ];
      expect([(await next).value, (await live.next()).value, (await live.next()).done]).toEqual([
        ...expected,
        true,
      ]);
      const replay = async (lastEventId: string) =>
        allFrames(await client.get(`${path}/${run_id}/stream`, { 'last-event-id': lastEventId }));
      expect(await replay('-1')).toEqual(expected);
      // Also with the ids of older releases.
      for (const epoch of ['-none', '']) {
        expect(await replay(`1-0${epoch}`)).toEqual(expected.slice(1));
        expect(await replay(`2-0${epoch}`)).toEqual([]);
      }
      expect(await jsonOf<RunJson>(client.get(`${path}/${run_id}`))).toMatchObject({ stop_reason: reason });
      expect(await jsonOf<ValuesJson>(client.get(`${path}/${run_id}/join`))).not.toHaveProperty('__error__');
    },
  );
});
