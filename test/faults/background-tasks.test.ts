// A background task is done and reported once, whatever dies in between and however many processes look for
// work.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { cases } from '../support/amount.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { lastContents, messagesOf, task, taskOf } from '../support/scripted-subagents.ts';
import { newThread, openTestService, question, streamed } from '../support/service.ts';
import { startCrashingProcess } from './crashing-process.ts';
import { createStubbornClient } from './stubborn-client.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).toReversed()) await work();
});

const SLOW = { timeout: 30_000 };

/** The lead agent begins a task when asked, and reports the result that it receives. */
function script(model: ModelServer): void {
  const call = task('c1', 'do it');
  model.onRequest((request) => {
    if (taskOf(request) !== '') return answer.text('The result');
    const last = messagesOf(request).at(-1);
    if (last?.content.startsWith('<background_task_result>')) return answer.text('I tell you');
    if (last?.role === 'tool') return answer.text('Under way');
    return answer.toolCalls([{ ...call, args: { ...call.args, background: true } }]);
  });
}

async function statusOn(client: HttpClient, threadId: string): Promise<string | undefined> {
  const path = `/api/threads/${threadId}/tasks`;
  return (await jsonOf<{ tasks: { status: string }[] }>(client.get(path))).tasks[0]?.status;
}

/**
 * Checks the request, the result of the call and the reply, then the result of the task and its report, each
 * once.
 */
async function expectOneReport(client: HttpClient, threadId: string): Promise<void> {
  await expect.poll(() => statusOn(client, threadId), SLOW).toBe('reported');
  const contents = () => lastContents(client, threadId);
  await expect.poll(async () => (await contents()).at(-1), SLOW).toBe('ai: I tell you');
  const said = await contents();
  expect(said.filter((it) => it.startsWith('tool: Started in the background'))).toHaveLength(1);
  expect(said.filter((it) => it.startsWith('human: Task '))).toHaveLength(1);
  expect(said.filter((it) => it === 'ai: I tell you')).toHaveLength(1);
  const statuses = async (id: string | undefined) =>
    (await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${id}/runs?limit=9`))).map(
      ({ status }) => status,
    );
  await expect.poll(() => statuses(threadId)).toEqual(['success', 'success']);
  const { tasks } = await jsonOf<{ tasks: { thread_id: string }[] }>(
    client.get(`/api/threads/${threadId}/tasks`),
  );
  expect(tasks).toHaveLength(1);
  expect(await statuses(tasks[0]?.thread_id)).toEqual(['success']);
}

it('[background.kill] killed between its call, its run, its end and its report, it is done and reported once', async () => {
  const model = await startModelServer();
  cleanUp.push(() => model.close());
  script(model);
  const process = await startCrashingProcess({ modelUrl: model.url });
  cleanUp.push(() => process.remove());
  const client = await createStubbornClient(process);
  const patient: HttpClient = {
    ...client.http,
    get: (...args) => client.persist(() => client.http.get(...args)),
  };
  const points = [
    // The call has its result, the task has no run.
    ['thread.create.before', 1],
    // The run exists, and the task does not refer to it.
    ['admit.after', 2],
    ['task.begun.after', 1],
    // The task has ended. Then its report exists, and the task does not know that.
    ['admit.before', 3],
    ['admit.after', 3],
    ['task.settle.after', 1],
  ] as const;
  let deaths = 0;
  const tried = cases(points, ([point, occurrence]) => occurrence === 2 || point.startsWith('task.'));
  for (const [point, occurrence] of tried) {
    const threadId = await client.newThread();
    process.arm({ point, occurrence });
    await client.ask(threadId, 'go');
    await process.died(++deaths);
    await expectOneReport(patient, threadId);
  }
  expect(process.deaths()).toBe(tried.length);
});

it('[background.processes] of two processes one begins a task, and one reports it', async () => {
  const [dataHome, postgres] = await Promise.all([
    mkdtemp(join(tmpdir(), 'agent-service-')),
    openTestPostgres(),
  ]);
  cleanUp.push(() => Promise.all([postgres.close(), rm(dataHome, { recursive: true, force: true })]));
  const config = { database: { url: postgres.url } };
  const services = [await openTestService({ dataHome, config }), await openTestService({ dataHome, config })];
  cleanUp.push(() => Promise.all(services.map((it) => it.close())));
  const [one, other] = services;
  if (one === undefined || other === undefined) throw new Error('There are two.');
  const client = await one.user();
  const elsewhere = createHttpClient(other.service.app);
  for (const [name, value] of client.cookies) elsewhere.cookies.set(name, value);
  for (const { model } of services) script(model);
  const threads = await Promise.all(
    [client, elsewhere, client, elsewhere].map(async (it) => {
      const threadId = await newThread(it);
      await streamed(it, threadId, question('go'));
      return threadId;
    }),
  );
  for (const threadId of threads) await expectOneReport(client, threadId);
  // Per thread: two requests of the lead agent, the task, and the report.
  expect(one.model.requests.length + other.model.requests.length).toBe(4 * threads.length);
});
