// Cancelling at every place of a run, within a second (fault.F41).

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { ownTime } from '../support/own-time.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { allFrames, framesOf } from '../support/sse.ts';

const BOUND_MS = 1_000;

/** `listening` stops on request, `deaf` never does. */
function hangingTools(called: () => void, aborted: (name: string) => void): readonly Tool[] {
  return ['listening', 'deaf'].map((name) =>
    defineTool({
      name,
      description: 'Never comes to an end by itself.',
      input: z.object({}),
      effect: 'once',
      run: (_, { signal }) =>
        new Promise((__, reject) => {
          signal.addEventListener('abort', () => {
            aborted(name);
            if (name === 'listening') reject(signal.reason);
          });
          called();
        }),
    }),
  );
}

let test: TestService;
let client: HttpClient;
let threadId: string;
let aborted: string[];
let inTools: PromiseWithResolvers<void>;
beforeEach(async () => {
  aborted = [];
  inTools = Promise.withResolvers();
  let calls = 0;
  const called = () => {
    if (++calls === 2) inTools.resolve();
  };
  test = await openTestService({
    overrides: { tools: (own) => [...own, ...hangingTools(called, (name) => aborted.push(name))] },
  });
  client = await test.user();
  threadId = await newThread(client);
});
afterEach(() => test.close());

const runs = (below = '') => `/api/graph/threads/${threadId}/runs${below}`;

async function started(fields: Record<string, unknown> = {}): Promise<string> {
  const body = question('hi', { stream_mode: ['messages-tuple', 'values'], ...fields });
  return (await jsonOf<RunJson>(client.post(runs(), body))).run_id;
}

async function firstToken(runId: string): Promise<void> {
  for await (const { event } of framesOf(await client.get(runs(`/${runId}/stream`))))
    if (event === 'messages') return;
}

/** Cancels and waits for the end; returns the milliseconds that it took. */
async function cancelled(runId: string): Promise<number> {
  const took = ownTime();
  expect((await client.post(runs(`/${runId}/cancel?wait=1`))).status).toBe(204);
  return took();
}

async function expectInterrupted(runId: string): Promise<void> {
  const run = await jsonOf<RunJson>(client.get(runs(`/${runId}`)));
  expect(run).toMatchObject({ status: 'interrupted', stop_reason: 'interrupted_by_user' });
  const frames = await allFrames(await client.get(runs(`/${runId}/stream`)));
  expect(frames.filter(({ event }) => event === 'end')).toHaveLength(1);
  // I11: the model gets no further request, and every request has ended.
  const asked = test.model.requests.length;
  for (const request of test.model.requests) await request.ended;
  expect(test.model.requests).toHaveLength(asked);
  // The thread is usable.
  test.model.reset();
  test.model.onRequest(() => answer.text('fine'));
  const next = await jsonOf<RunJson>(client.post(runs(), question('again')));
  await client.get(runs(`/${next.run_id}/join`)).then((it) => it.text());
  expect(await jsonOf<RunJson>(client.get(runs(`/${next.run_id}`)))).toMatchObject({ status: 'success' });
  expect(await jsonOf<RunJson>(client.get(runs(`/${runId}`)))).toEqual(run);
}

const silence: Answer = { kind: 'silence' };
const hangingCalls = answer.toolCalls([
  { name: 'listening', args: {}, id: 'call_listening' },
  { name: 'deaf', args: {}, id: 'call_deaf' },
]);

describe('cancelling a run ends it within a second', () => {
  it('[fault.F41] while it waits for its start time', async () => {
    const runId = await started({ after_seconds: 3_600 });
    expect(await cancelled(runId)).toBeLessThan(BOUND_MS);
    await expectInterrupted(runId);
    expect(test.model.requests).toHaveLength(1);
  });

  it('[fault.F41] while it waits for another run', async () => {
    test.model.enqueue(answer.hangMidStream('words'));
    const first = await started();
    await firstToken(first);
    const second = await started();
    expect(await cancelled(second)).toBeLessThan(BOUND_MS);
    expect(await cancelled(first)).toBeLessThan(BOUND_MS);
    await expectInterrupted(second);
  });

  it('[fault.F41] at the moment of its admission', async () => {
    for (let round = 0; round < 20; round++) {
      test.model.enqueue(silence);
      const runId = await started();
      expect(await cancelled(runId)).toBeLessThan(BOUND_MS);
      test.model.reset();
    }
  });

  it('[fault.F41] before the first token', async () => {
    test.model.enqueue(silence);
    const runId = await started();
    await test.model.requested(1);
    expect(await cancelled(runId)).toBeLessThan(BOUND_MS);
    await expectInterrupted(runId);
  });

  it('[fault.F41] at the first token, whose text is kept', async () => {
    test.model.enqueue(answer.hangMidStream('half'));
    const runId = await started();
    await firstToken(runId);
    expect(await cancelled(runId)).toBeLessThan(BOUND_MS);
    const { values } = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect(values.messages.map(({ content }) => content)).toEqual(['hi', 'half']);
    await expectInterrupted(runId);
  });

  it('[fault.F41] in tools, which get the signal, heed it or not, and have one result each', async () => {
    test.model.enqueue(hangingCalls);
    const runId = await started();
    await inTools.promise;
    expect(await cancelled(runId)).toBeLessThan(BOUND_MS);
    expect(aborted.sort()).toEqual(['deaf', 'listening']);
    const { values } = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect(values.messages.map(({ type, status }) => [type, status]).slice(2)).toEqual([
      ['tool', 'error'],
      ['tool', 'error'],
    ]);
    await expectInterrupted(runId);
  });

  it('[fault.F41] between the retries of a failing model', async () => {
    test.model.enqueue(answer.rateLimited('30'));
    const runId = await started();
    await test.model.requested(1);
    expect(await cancelled(runId)).toBeLessThan(BOUND_MS);
    await expectInterrupted(runId);
  });

  it('[fault.F41] twice concurrently, and after its end', async () => {
    test.model.enqueue(answer.hangMidStream('words'));
    const runId = await started();
    await firstToken(runId);
    const times = await Promise.all(Array.from({ length: 5 }, () => cancelled(runId)));
    expect(Math.max(...times)).toBeLessThan(BOUND_MS);
    expect(await cancelled(runId)).toBeLessThan(BOUND_MS);
    await expectInterrupted(runId);
  });
});
