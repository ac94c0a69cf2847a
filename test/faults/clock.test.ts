// A clock that jumps (reliability F27).
import { afterEach, expect, it } from 'vitest';
import { jsonOf, type RunJson, type ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { allFrames } from '../support/sse.ts';

const HOUR = 3_600_000;

let test: TestService;
afterEach(() => test.close());

it.each([
  ['an hour ahead', HOUR],
  ['an hour back', -HOUR],
  ['to the year 2040', 14 * 365 * 24 * HOUR],
])('[fault.F27] a clock that jumps %s in mid-run changes nothing but times', async (_, jump) => {
  let offset = 0;
  test = await openTestService({
    overrides: { now: () => Date.now() + offset },
    config: { runs: { lease_renewal_ms: 20 } },
  });
  const client = await test.user();
  const threadId = await newThread(client);
  const gate = Promise.withResolvers<void>();
  test.model.enqueue(
    answer.script(step.text('one '), step.until(gate.promise), step.text('two'), step.finish(), step.done()),
  );
  const path = `/api/graph/threads/${threadId}/runs`;
  const response = await client.post(`${path}/stream`, question('hi'));
  await test.model.requested(1);
  offset = jump;
  // The leases are renewed by the new time before the run goes on.
  await new Promise((resolve) => setTimeout(resolve, 60));
  gate.resolve();
  expect((await allFrames(response)).filter(({ event }) => event === 'end')).toHaveLength(1);
  // The session would be over otherwise.
  offset = 0;
  const [run] = await jsonOf<RunJson[]>(client.get(`${path}?limit=1`));
  expect(run).toMatchObject({ status: 'success', attempt: 1 });
});

it('[fault.F27] runs that wait begin in the order in which they were accepted, although the clock went back', async () => {
  let offset = 0;
  test = await openTestService({ overrides: { now: () => Date.now() + offset } });
  const client = await test.user();
  const threadId = await newThread(client);
  const gate = Promise.withResolvers<void>();
  test.model.onRequest(async ({ lastUserText }) => {
    if (lastUserText === 'q0') await gate.promise;
    return answer.text(`re ${lastUserText}`);
  });
  const path = `/api/graph/threads/${threadId}/runs`;
  let last = '';
  for (const [index, jump] of [0, 0, -HOUR, -HOUR, HOUR].entries()) {
    offset += jump;
    last = (await jsonOf<RunJson>(client.post(path, question(`q${index}`)))).run_id;
  }
  gate.resolve();
  for (const run of await jsonOf<RunJson[]>(client.get(`${path}?limit=10`)))
    await client.get(`${path}/${run.run_id}/join`).then((it) => it.text());
  const values = await jsonOf<ValuesJson>(client.get(`${path}/${last}/join`));
  expect(values.messages.filter(({ type }) => type === 'human').map(({ content }) => content)).toEqual([
    'q0',
    'q1',
    'q2',
    'q3',
    'q4',
  ]);
});
