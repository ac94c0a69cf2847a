// An owner that is stopped while another process takes its run over, and then wakes (fault.F25, F26).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { MODES } from '../support/run-stream.ts';
import { question } from '../support/service.ts';
import { dataOf, type TestFrame } from '../support/sse.ts';
import { type CrashingProcess, startCrashingProcess } from './crashing-process.ts';
import { release } from './effect-tools.ts';
import { receive } from './fault-service.ts';
import { createStubbornClient, type StubbornClient } from './stubborn-client.ts';

const STRONG_SECRET = 'bQ3vX9mT-Kd72LrYwZ0cHs5fNj8pGu4eR6';

const RUNS = { lease_ms: 1_500, lease_renewal_ms: 200 };

let postgres: TestPostgres;
let model: ModelServer;
let owner: CrashingProcess;
let successor: CrashingProcess;
let client: StubbornClient;
let startSuccessor: () => Promise<void>;
beforeEach(async () => {
  [postgres, model] = await Promise.all([openTestPostgres(), startModelServer()]);
  const options = {
    modelUrl: model.url,
    databaseUrl: postgres.url,
    config: {
      runs: RUNS,
      auth: { jwt_secret: STRONG_SECRET, password_hash: { memory_kib: 8, iterations: 1 } },
    },
  };
  owner = await startCrashingProcess(options);
  // Starts later, so that the owner claims the run first.
  startSuccessor = async () => {
    successor = await startCrashingProcess(options);
  };
  client = await createStubbornClient(owner);
});
afterEach(async () => {
  await Promise.all([owner.remove(), successor.remove()]);
  await Promise.all([postgres.close(), model.close()]);
});

async function expectOneAnswer(threadId: string, path: readonly TestFrame[]): Promise<void> {
  const elsewhere = await createStubbornClient(successor, client.http.cookies);
  const [metadata] = dataOf<{ run_id: string }>(path, 'metadata');
  const runId = metadata?.run_id ?? '';
  const replay = await elsewhere.follow(threadId, runId);
  expect(path).toEqual(replay);
  expect(replay.filter(({ event }) => event === 'end')).toHaveLength(1);
  const thread = `/api/graph/threads/${threadId}`;
  expect(await jsonOf<RunJson>(elsewhere.http.get(`${thread}/runs/${runId}`))).toMatchObject({
    status: 'success',
    attempt: 2,
  });
  const { values } = await jsonOf<StateJson>(elsewhere.http.get(`${thread}/state`));
  expect(values.messages.filter(({ type }) => type === 'ai').at(-1)?.content).toBe('from the successor');
}

describe('an owner that is stopped', () => {
  it('[fault.F25] is fenced when it wakes: there is one reply, and its readers see that one', async () => {
    const gate = Promise.withResolvers<void>();
    const words = [step.text('from '), step.until(gate.promise), step.text('the owner')];
    model.enqueue(answer.script(...words, step.finish(), step.done()));
    model.onRequest(() => answer.text('from the successor'));
    const threadId = await client.newThread();
    const body = question('who are you', { stream_mode: MODES });
    const response = await client.http.post(`/api/graph/threads/${threadId}/runs/stream`, body);
    const before = await receive(response, (frames) => frames.some(({ event }) => event === 'messages'));
    await startSuccessor();
    owner.signal('SIGSTOP');
    await model.requested(2);
    gate.resolve();
    owner.signal('SIGCONT');
    const [metadata] = dataOf<{ run_id: string }>(before, 'metadata');
    await expectOneAnswer(threadId, await client.follow(threadId, metadata?.run_id ?? '', before));
  });

  it('[fault.F26] because a tool blocks it is replaced, and fenced when it continues', async () => {
    const block = { name: 'block', args: {}, id: 'call_block' };
    model.onRequest(async () => {
      if (model.requests.length > 1) return answer.text('from the successor');
      await startSuccessor();
      return answer.toolCalls([block]);
    });
    const threadId = await client.newThread();
    const asked = client.ask(threadId, 'block');
    await model.requested(2);
    const elsewhere = await createStubbornClient(successor, client.http.cookies);
    const status = async () =>
      (await jsonOf<RunJson[]>(elsewhere.http.get(`/api/graph/threads/${threadId}/runs?limit=1`)))[0]?.status;
    await expect.poll(status).toBe('success');
    release(owner.dataHome);
    await expectOneAnswer(threadId, (await asked).frames);
  });
});
