// Threads of stateless runs whose process died before it could remove them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';

const MINUTE = 60_000;
const BEGIN = Date.parse('2026-03-01T10:00:00Z');

let dataHome: string;
let open: TestService | undefined;
beforeEach(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
});
afterEach(async () => {
  await open?.close();
  await rm(dataHome, { recursive: true, force: true });
});

/** Replaces the process with another one, whose clock shows this time. */
async function startedAt(now: number): Promise<TestService> {
  await open?.close();
  const database = { url: `sqlite:${join(dataHome, 'service.db')}` };
  open = await openTestService({ dataHome, config: { database }, overrides: { now: () => now } });
  return open;
}

it('[runs.stateless.delete.later] a temporary thread goes some time after its run, whichever process finished it', async () => {
  const first = await startedAt(BEGIN);
  first.model.onRequest(() => answer.hangBeforeHeaders());
  const user = await first.user('ann');
  const response = await user.post('/api/graph/runs', question('hi', { on_completion: 'delete' }));
  const { thread_id: threadId, run_id: runId } = (await response.json()) as Record<string, string>;
  const keptId = await newThread(user);
  const status = async (client: typeof user, id = threadId) =>
    (await client.get(`/api/threads/${id}`)).status;

  const second = await startedAt(BEGIN + MINUTE);
  second.model.onRequest(() => answer.text('Hello'));
  const again = await second.user('ann');
  const run = `/api/threads/${threadId}/runs/${runId}`;
  await expect.poll(async () => (await again.get(run)).json()).toMatchObject({ status: 'success' });
  expect(await status(again)).toBe(200);

  const third = await startedAt(BEGIN + 5 * MINUTE);
  expect(await status(await third.user('ann'))).toBe(200);

  const fourth = await startedAt(BEGIN + 12 * MINUTE);
  const late = await fourth.user('ann');
  await expect.poll(() => status(late)).toBe(404);
  expect(await status(late, keptId)).toBe(200);
});
