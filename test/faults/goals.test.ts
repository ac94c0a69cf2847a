// An agent that pursues a goal continues once, whatever dies around the judgement.
import { afterEach, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { startModelServer } from '../support/model-server.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { newThread, question } from '../support/service.ts';
import { startCrashingProcess } from './crashing-process.ts';
import { startFaultService } from './fault-service.ts';
import { createStubbornClient } from './stubborn-client.ts';

const verdict = (it: string) =>
  answer.text(JSON.stringify({ verdict: it, progress: true, reason: `It is ${it}.` }));
const NOT_MET = verdict('not_met');
const MET = verdict('met');

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).toReversed()) await work();
});

const saidOn = async (client: HttpClient, threadId: string) =>
  (await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`))).values.messages.map(
    ({ content }) => content,
  );
const goalOn = async (client: HttpClient, threadId: string) =>
  (await jsonOf<{ goal: unknown }>(client.get(`/api/threads/${threadId}/goal`))).goal;
const runsOn = (client: HttpClient, threadId: string) =>
  jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=10`));

it('[goals.kill] killed while its reply is judged, and while it continues: it continues once, and repeats no message', async () => {
  const service = await startFaultService();
  cleanUp.push(() => service.remove());
  const { client, model } = service;
  const threadId = await newThread(client);
  await client.put(`/api/threads/${threadId}/goal`, { text: 'two files' });
  model.enqueue(answer.text('One file'), answer.hangBeforeHeaders());
  await client.post(`/api/graph/threads/${threadId}/runs`, question('make them'));
  await model.requested(2);
  await expect.poll(() => saidOn(client, threadId)).toEqual(['make them', 'One file']);
  await service.process.kill();
  // The judgement is repeated, and the continuation hangs.
  model.enqueue(NOT_MET, answer.hangMidStream('lost'));
  await service.process.restart();
  await model.requested(4);
  await expect.poll(() => goalOn(client, threadId)).toMatchObject({ continuations: 1 });
  await service.process.kill();
  model.enqueue(answer.text('Both files'), MET);
  await service.process.restart();
  await expect.poll(() => goalOn(client, threadId)).toMatchObject({ status: 'met', continuations: 1 });
  await expect.poll(async () => (await runsOn(client, threadId))[0]?.status).toBe('success');
  expect(await saidOn(client, threadId)).toEqual(['make them', 'One file', 'Both files']);
  expect(await runsOn(client, threadId)).toMatchObject([{ attempt: 3, stop_reason: 'completed' }]);
  expect(model.requests).toHaveLength(6);
});

it('[goals.takeover] an owner that is stopped while its reply is judged is replaced, and one of the two continues', async () => {
  const [postgres, model] = await Promise.all([openTestPostgres(), startModelServer()]);
  cleanUp.push(() => Promise.all([postgres.close(), model.close()]));
  const options = {
    modelUrl: model.url,
    databaseUrl: postgres.url,
    config: {
      runs: { lease_ms: 1_500, lease_renewal_ms: 200 },
      auth: {
        jwt_secret: 'bQ3vX9mT-Kd72LrYwZ0cHs5fNj8pGu4eR6',
        password_hash: { memory_kib: 8, iterations: 1 },
      },
    },
  };
  const owner = await startCrashingProcess(options);
  cleanUp.push(() => owner.remove());
  const { http, ...client } = await createStubbornClient(owner);
  const threadId = await client.newThread();
  await http.put(`/api/threads/${threadId}/goal`, { text: 'two files' });
  const gate = Promise.withResolvers<void>();
  const answers = [answer.text('One file'), undefined, NOT_MET, answer.text('Both files'), MET];
  model.onRequest(async () => {
    const next = answers.shift();
    if (next !== undefined) return next;
    // The owner gets its judgement when it wakes.
    await gate.promise;
    return NOT_MET;
  });
  await http.post(`/api/graph/threads/${threadId}/runs`, question('make them'));
  await model.requested(2);
  await expect.poll(() => saidOn(http, threadId)).toEqual(['make them', 'One file']);
  const successor = await startCrashingProcess(options);
  cleanUp.push(() => successor.remove());
  owner.signal('SIGSTOP');
  const elsewhere = await createStubbornClient(successor, http.cookies);
  await expect
    .poll(async () => (await runsOn(elsewhere.http, threadId))[0]?.status, { timeout: 20_000 })
    .toBe('success');
  gate.resolve();
  owner.signal('SIGCONT');
  await expect.poll(() => goalOn(http, threadId)).toMatchObject({ status: 'met', continuations: 1 });
  expect(await saidOn(http, threadId)).toEqual(['make them', 'One file', 'Both files']);
  expect(model.requests).toHaveLength(5);
});
