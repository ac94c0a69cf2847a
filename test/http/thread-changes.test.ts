// Following the threads of a user: in one process, and where several share a database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { ownTime } from '../support/own-time.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

interface Told {
  readonly event: string;
  readonly data: {
    readonly thread_id?: string;
    readonly status?: string;
    readonly values?: { readonly title?: string };
    readonly checkpoint_id?: string | null;
  };
}

/** Follows until the test is over; `told` grows. Resolves once no change can be missed. */
async function follow(client: HttpClient): Promise<readonly Told[]> {
  const response = await client.get('/api/thread-changes');
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const reader = response.body?.getReader();
  onTestFinished(() => reader?.cancel());
  const told: Told[] = [];
  const read = async () => {
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
        told.push({ event, data: JSON.parse(data) });
      }
    }
  };
  read().catch(() => undefined);
  await expect.poll(() => told).toEqual([{ event: 'ready', data: {} }]);
  return told;
}

function last(told: readonly Told[], threadId: string): Told | undefined {
  return told.findLast(({ data }) => data.thread_id === threadId);
}

describe('one process', () => {
  let test: TestService;
  beforeAll(async () => {
    test = await openTestService();
  });
  afterAll(() => test.close());

  it('[threads.changes] reports each change of the threads, with their current state', async () => {
    const client = await test.user();
    const told = await follow(client);
    const threadId = await newThread(client);
    await expect
      .poll(() => last(told, threadId))
      .toMatchObject({ event: 'thread', data: { status: 'idle' } });

    test.model.enqueue(answer.hangMidStream('half an answer'));
    const run = await client.post(`/api/graph/threads/${threadId}/runs`, question('hi'));
    const { run_id: runId } = (await run.json()) as { run_id: string };
    await expect.poll(() => last(told, threadId)?.data.status).toBe('busy');
    // Otherwise a run of the next test would take the reply.
    await test.model.requested(1);
    await client.post(`/api/graph/threads/${threadId}/runs/${runId}/cancel?wait=1`);
    await expect.poll(() => last(told, threadId)?.data.status).toBe('interrupted');
    const checkpoint = last(told, threadId)?.data.checkpoint_id;

    await client.post(`/api/threads/${threadId}/state`, { values: { title: 'Tea' } });
    await expect.poll(() => last(told, threadId)?.data.values).toEqual({ title: 'Tea' });
    expect(last(told, threadId)?.data.checkpoint_id).not.toBe(checkpoint);

    await client.delete(`/api/threads/${threadId}`);
    await expect
      .poll(() => last(told, threadId))
      .toEqual({ event: 'thread_deleted', data: { thread_id: threadId } });
  });

  it('[threads.search.activity] a new title or metadata leave a thread in its place, a message does not', async () => {
    const client = await test.user();
    const [old, recent] = [await newThread(client), await newThread(client)];
    test.model.onRequest(() => answer.text('one'));
    onTestFinished(test.model.reset);
    for (const threadId of [old, recent]) await streamed(client, threadId, question('hi'));
    const search = { sort_by: 'state_updated_at' };
    const found = async () => {
      const answered = await client.post('/api/threads/search', search);
      return (await answered.json()) as { thread_id: string; updated_at: string; state_updated_at: string }[];
    };
    await client.post(`/api/threads/${old}/state`, { values: { title: 'Tea' } });
    await client.patch(`/api/threads/${old}`, { metadata: { pinned: true } });
    const [first, second] = await found();
    expect([first?.thread_id, second?.thread_id]).toEqual([recent, old]);
    expect(Date.parse(second?.updated_at ?? '')).toBeGreaterThan(Date.parse(second?.state_updated_at ?? ''));
    await client.post(`/api/threads/${old}/state`, { values: question('One more thing').input });
    expect((await found()).map(({ thread_id }) => thread_id)).toEqual([old, recent]);
  });

  it('[threads.changes] reports a thread that is older than a hundred others', async () => {
    const client = await test.user();
    const old = await newThread(client);
    for (let n = 0; n < 100; n++) await newThread(client);
    const told = await follow(client);
    await client.delete(`/api/threads/${old}`);
    await expect.poll(() => last(told, old)?.event).toBe('thread_deleted');
    expect(told).toHaveLength(2);
  });

  it('[threads.changes.owner] reports nothing of other users', async () => {
    const [ann, bob] = [await test.user(), await test.user()];
    const told = await follow(ann);
    await streamed(bob, await newThread(bob), question('hi'));
    const own = await newThread(ann);
    await expect.poll(() => last(told, own)?.event).toBe('thread');
    expect(told.map(({ data }) => data.thread_id)).toEqual([undefined, own]);
  });

  it('[threads.changes.ends] ends with the session', async () => {
    const client = await test.user();
    const response = await client.get('/api/thread-changes');
    await client.post('/api/v1/auth/logout');
    await expect(response.text()).resolves.toMatch(/^event: ready/);
  });
});

it('[threads.changes.ends] ends when the service stops', async () => {
  const test = await openTestService();
  const client = await test.user();
  const response = await client.get('/api/thread-changes');
  const reader = response.body?.getReader();
  await reader?.read();
  await test.close();
  expect(await reader?.read()).toMatchObject({ done: true });
});

describe('several processes', () => {
  it('[threads.changes.cluster] reports within two seconds what another process did', async () => {
    await using undo = new AsyncDisposableStack();
    const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
    undo.defer(() => rm(dataHome, { recursive: true, force: true }));
    const postgres = await openTestPostgres();
    undo.defer(() => postgres.close());
    const config = { database: { url: postgres.url } };
    const here = await openTestService({ dataHome, config });
    undo.defer(() => here.close());
    const there = await openTestService({ dataHome, config });
    undo.defer(() => there.close());
    const client = await here.user();
    const elsewhere = createHttpClient(there.service.app);
    for (const [name, value] of client.cookies) elsewhere.cookies.set(name, value);

    const told = await follow(client);
    const toldSoon = async (isTold: () => boolean) => {
      const took = ownTime();
      await expect.poll(isTold).toBe(true);
      expect(took()).toBeLessThan(2_000);
    };
    const threadId = await newThread(elsewhere);
    await toldSoon(() => last(told, threadId)?.event === 'thread');
    await streamed(elsewhere, threadId, question('hi'));
    await toldSoon(() => typeof last(told, threadId)?.data.checkpoint_id === 'string');
    await elsewhere.delete(`/api/threads/${threadId}`);
    await toldSoon(() => last(told, threadId)?.event === 'thread_deleted');
  });
});
