// Runs of several users: how many at once, whose turn it is, and how many may wait.
import { afterEach, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';

let test: TestService;
afterEach(() => test.close());

const start = async (client: HttpClient, content: string, fields: Record<string, unknown> = {}) =>
  client.post(`/api/graph/threads/${await newThread(client)}/runs`, question(content, fields));
const started = (client: HttpClient, content: string) => jsonOf<RunJson>(start(client, content));
const ended = async (client: HttpClient, { thread_id, run_id }: RunJson) =>
  (await client.get(`/api/graph/threads/${thread_id}/runs/${run_id}/join`)).text();

/** The model answers nobody before the gate is open. */
async function openGated(runs: Record<string, unknown>) {
  const gate = Promise.withResolvers<void>();
  test = await openTestService({ config: { runs } });
  test.model.onRequest(() =>
    answer.script(step.until(gate.promise), step.text('ok'), step.finish(), step.done()),
  );
  return { ann: await test.user('ann'), ben: await test.user('ben'), open: () => gate.resolve() };
}

const asked = () => test.model.requests.map(({ lastUserText }) => lastUserText);

it('[fair.runs] [hostile.S66] a user with many runs leaves places to others', async () => {
  const { ann, ben, open } = await openGated({ max_concurrent: 3, per_user: 2 });
  const runs = [];
  for (let n = 0; n < 6; n++) runs.push(await started(ann, 'ann'));
  await test.model.requested(2);
  const bens = await started(ben, 'ben');
  await test.model.requested(3);
  expect(asked()).toEqual(['ann', 'ann', 'ben']);
  open();
  await ended(ben, bens);
  for (const run of runs) await ended(ann, run);
  expect(asked()).toHaveLength(7);
});

it('[fair.runs] a run waits for a turn of its user, not for everything that another has waiting', async () => {
  const { ann, ben, open } = await openGated({ max_concurrent: 1, per_user: 1 });
  const runs = [];
  for (let n = 0; n < 30; n++) runs.push(await started(ann, 'ann'));
  const bens = [await started(ben, 'ben'), await started(ben, 'ben')];
  open();
  for (const run of bens) await ended(ben, run);
  for (const run of runs) await ended(ann, run);
  expect(asked()).toHaveLength(32);
  expect(
    asked()
      .slice(0, 4)
      .filter((it) => it === 'ben'),
  ).toHaveLength(2);
});

it('[fair.runs.waiting] [hostile.S66] runs beyond those that may wait are refused with a time to come back', async () => {
  const { ann, ben, open } = await openGated({ max_concurrent: 9, per_user: 1, max_waiting_per_user: 2 });
  const first = await started(ann, 'first');
  await test.model.requested(1);
  const threadId = first.thread_id;
  for (const content of ['second', 'third']) await started(ann, content);
  const refused = await ann.post(`/api/graph/threads/${threadId}/runs`, question('fourth'));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await jsonOf(refused)).toEqual({
    detail:
      'You have 2 runs waiting already (runs.max_waiting_per_user). Try again when some of them have begun, or cancel some.',
  });
  const { runs } = await jsonOf<{ runs: RunJson[] }>(ann.get(`/api/graph/threads/${threadId}/runs`));
  expect(runs.map(({ run_id }) => run_id)).toEqual([first.run_id]);
  const threads = () => jsonOf<number>(ann.post('/api/threads/count', {}));
  const before = await threads();
  expect((await ann.post('/api/graph/runs', question('without a thread'))).status).toBe(429);
  expect(await threads()).toBe(before);
  expect((await start(ben, 'of another')).status).toBe(200);
  open();
  await ended(ann, first);
  expect((await start(ann, 'again')).status).toBe(200);
});

it('[hostile.S66] a limit of a thousand million steps counts as a thousand', async () => {
  const { ann, open } = await openGated({});
  open();
  const run = await jsonOf<{ kwargs: unknown }>(
    start(ann, 'go', { config: { recursion_limit: 1_000_000_000 } }),
  );
  expect(run.kwargs).toMatchObject({ config: { recursion_limit: 1_000 } });
  expect((await start(ann, 'go', { config: { recursion_limit: 0 } })).status).toBe(422);
});
