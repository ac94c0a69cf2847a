// Goals and the person: the person's requests come first.
import { expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { question } from '../support/service.ts';
import { lastRun } from '../support/usage.ts';
import { type Imported, sendPackage } from '../transfer/conversation.ts';
import {
  GOAL,
  goalOf,
  goalPath,
  goalThreads,
  lastTold,
  MET,
  NOT_MET,
  systemOf,
  verdict,
} from './goal-thread.ts';

const open = goalThreads();

it('[goals.person] a queued message gets its reply before the agent continues', async () => {
  const judging = Promise.withResolvers<void>();
  const { test, client, threadId, path, ask, said, goal } = await open([]);
  const verdicts = [NOT_MET, MET];
  test.model.onRequest(async (request) => {
    if (!systemOf(request).startsWith('You judge'))
      return answer.text(lastTold(request) === 'make them' ? 'One file' : 'Changed');
    await judging.promise;
    return verdicts.shift() ?? MET;
  });
  const running = ask();
  await test.model.requested(2);
  await client.post(`${path}/runs`, question('change them', { multitask_strategy: 'enqueue' }));
  judging.resolve();
  await running;
  await expect.poll(async () => (await goal())?.status).toBe('met');
  expect(await said()).toEqual(['make them', 'One file', 'change them', 'Changed']);
  expect(await goalOf(client, threadId)).toMatchObject({ continuations: 0 });
});

it('[goals.cancel] a run that is cancelled while its reply is judged does not continue', async () => {
  const { test, client, path, ask, goal, said } = await open([
    answer.text('One file'),
    answer.hangBeforeHeaders(),
  ]);
  const running = ask();
  await test.model.requested(2);
  const [run] = await jsonOf<{ run_id: string }[]>(client.get(`${path}/runs?limit=1`));
  expect((await client.post(`${path}/runs/${run?.run_id}/cancel?wait=1`)).status).toBe(204);
  await running;
  expect(await said()).toEqual(['make them', 'One file']);
  expect(await goal()).toMatchObject({ status: 'active', continuations: 0, evaluation: null });
  expect(test.model.requests).toHaveLength(2);
});

it('[goals.routes] sets, reads and removes a goal within its bounds, and not during a run', async () => {
  const { test, client, threadId, ask } = await open([answer.hangMidStream('Working')]);
  const path = goalPath(threadId);
  const limits = { max_continuations: 3, max_no_progress: 1, token_budget: 5_000 };
  expect(await jsonOf(client.put(path, { text: ' two files ', ...limits }))).toEqual({
    goal: {
      ...limits,
      text: 'two files',
      status: 'active',
      continuations: 0,
      no_progress: 0,
      spent_tokens: 0,
      evaluation: null,
      set_at: expect.any(String),
    },
  });
  for (const bad of [
    {},
    { text: ' ' },
    { text: 'x'.repeat(4_001) },
    { text: 'x', max_continuations: 21 },
    { text: 'x', max_continuations: 0 },
    { text: 'x', max_no_progress: 0 },
    { text: 'x', token_budget: 999 },
    { text: 'x', token_budget: '5000' },
  ])
    expect((await client.put(path, bad)).status, JSON.stringify(bad).slice(0, 60)).toBe(422);
  const running = ask();
  await test.model.requested(1);
  expect((await client.put(path, GOAL)).status).toBe(409);
  expect((await client.delete(path)).status).toBe(409);
  const runs = `/api/graph/threads/${threadId}/runs`;
  await client.post(`${runs}/${(await lastRun(client, threadId)).run_id}/cancel?wait=1`);
  await running;
  expect(await goalOf(client, threadId)).toMatchObject({ text: 'two files' });
  for (const _ of [1, 2]) expect((await client.delete(path)).status).toBe(204);
  expect(await goalOf(client, threadId)).toBeNull();
  const somebody = await test.user('somebody');
  for (const answered of [somebody.get(path), somebody.put(path, GOAL), somebody.delete(path)])
    expect((await answered).status).toBe(404);
});

it('[goals.copies] copies, packages and clients that write the state back preserve a goal', async () => {
  const { test, client, threadId, path, ask } = await open([answer.text('One'), verdict('blocked')]);
  await ask();
  const before = await goalOf(client, threadId);
  expect(before).toMatchObject({ status: 'active', evaluation: { verdict: 'blocked' } });
  const copy = await jsonOf<{ thread_id: string }>(client.post(`${path}/copy`));
  expect(await goalOf(client, copy.thread_id)).toEqual(before);
  const exported = await client.get(`/api/threads/${threadId}/export`);
  const somebody = await test.user('somebody');
  const sent = await sendPackage(
    somebody,
    '/api/threads/import',
    new Uint8Array(await exported.arrayBuffer()),
  );
  const [imported] = (await jsonOf<Imported>(sent)).threads;
  expect(await goalOf(somebody, imported?.thread_id ?? '')).toEqual(before);
  const { values } = await jsonOf<{ values: Record<string, unknown> }>(client.get(`${path}/state`));
  const forged = { ...values, goal: { text: 'another' } };
  expect((await client.post(`${path}/state`, { values: forged })).status).toBe(200);
  expect(await goalOf(client, threadId)).toEqual(before);
  expect((await client.delete(goalPath(threadId))).status).toBe(204);
  expect(await goalOf(client, copy.thread_id)).toEqual(before);
});
