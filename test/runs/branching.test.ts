// A run that begins far back on a long thread. All runs wait for the transactions that it takes part in.
import { expect, it } from 'vitest';
import { openCountedStorage } from '../support/counted-storage.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';

const TURNS = 60;

it('[runs.branch.bounded] reads no more in its transactions than a run from the head', async () => {
  const { storage, transactions } = await openCountedStorage();
  const test = await openTestService({ overrides: { storage } });
  const client = await test.user();
  const threadId = await newThread(client);
  const ask = (text: string, fields: Record<string, unknown> = {}) =>
    streamed(client, threadId, question(text, fields));
  const mostRows = () => Math.max(...transactions().map(({ rows }) => rows));
  /** Settles what the last move deferred, one page at a time; not counted. */
  const settle = async () => {
    while (await storage.runCommits.settleNext());
    transactions();
  };
  const head = async () => {
    const { checkpoint } = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    return { checkpoint_id: checkpoint?.checkpoint_id };
  };
  const listed = async () =>
    (await jsonOf<unknown[]>(client.get(`/api/threads/${threadId}/messages?limit=200`))).length;

  test.model.onRequest(() => answer.text('fine'));
  await ask('first');
  const early = await head();
  for (let turn = 1; turn < TURNS; turn += 1) await ask('next');
  const late = await head();
  transactions();
  await ask('goes on');
  const usual = mostRows();
  expect(usual).toBeLessThan(TURNS / 2);
  await ask('branches', { checkpoint: early });
  expect(mostRows()).toBeLessThan(usual + 5);
  expect(await listed()).toBe(4);
  await settle();
  await ask('goes back', { checkpoint: late });
  expect(mostRows()).toBeLessThan(usual + 5);
  expect(await listed()).toBe(2 * TURNS + 2);
  test.model.onRequest(() => answer.hangMidStream('some words'));
  const undone = await client.post(`/api/graph/threads/${threadId}/runs/stream`, {
    ...question('is undone', { stream_mode: ['messages-tuple'] }),
    checkpoint: early,
  });
  for await (const { event } of framesOf(undone)) if (event === 'messages') break;
  const [run] = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=1`));
  await settle();
  await client.post(`/api/graph/threads/${threadId}/runs/${run?.run_id}/cancel?wait=1&action=rollback`);
  expect(mostRows()).toBeLessThan(usual + 5);
  expect(await listed()).toBe(2 * TURNS + 2);
  await settle();
  // A state update at an older checkpoint does not hold up other runs either.
  await client.post(`/api/graph/threads/${threadId}/state`, {
    values: { title: 'Early' },
    checkpoint: early,
  });
  // One page of marks, after the update: they are settled before the response.
  expect(transactions().filter(({ rows }) => rows >= usual + 5)).toHaveLength(1);
  expect(await listed()).toBe(2);
  await test.close();
}, 60_000);
