// A clock that jumps (fault.F27).
import { afterEach, expect, it } from 'vitest';
import { isTerminal, type ProtocolEventJson } from '../protocol/events-of.ts';
import { jsonOf, type RunJson, type StateJson, type ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { allFrames, framesOf } from '../support/sse.ts';

const HOUR = 3_600_000;
const SECONDS = 5_000;

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
  // The leases are renewed by the new time before the run continues.
  await new Promise((resolve) => setTimeout(resolve, 60));
  gate.resolve();
  expect((await allFrames(response)).filter(({ event }) => event === 'end')).toHaveLength(1);
  // Otherwise the session would have expired.
  offset = 0;
  const [run] = await jsonOf<RunJson[]>(client.get(`${path}?limit=1`));
  expect(run).toMatchObject({ status: 'success', attempt: 1 });
});

it('[fault.F27] waiting runs begin in the order of their admission, although the clock went back', async () => {
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

it('[state.history.clock] a checkpoint is newer than its parent, although the clock goes back each time', async () => {
  let offset = 0;
  test = await openTestService({ overrides: { now: () => Date.now() + offset } });
  const client = await test.user();
  const threadId = await newThread(client);
  const thread = `/api/graph/threads/${threadId}`;
  const ask = async (content: string, fields: object = {}): Promise<void> => {
    offset -= SECONDS;
    test.model.enqueue(answer.text(`re ${content}`));
    await (await client.post(`${thread}/runs/wait`, question(content, { ...fields }))).text();
  };
  const expectNewestFirst = async (): Promise<void> => {
    const [head, history] = await Promise.all([
      jsonOf<StateJson>(client.get(`${thread}/state`)),
      jsonOf<StateJson[]>(client.post(`${thread}/history`, { limit: 100 })),
    ]);
    const ids = history.map(({ checkpoint }) => checkpoint?.checkpoint_id);
    expect(ids[0]).toBe(head.checkpoint?.checkpoint_id);
    for (const [place, { parent_checkpoint: parent }] of history.entries())
      if (parent !== null) expect(ids.indexOf(parent.checkpoint_id)).toBeGreaterThan(place);
  };
  await ask('one');
  await ask('two');
  await expectNewestFirst();
  const [, , , beginning] = await jsonOf<StateJson[]>(client.post(`${thread}/history`, { limit: 4 }));
  await ask('branch', { checkpoint_id: beginning?.checkpoint?.checkpoint_id });
  await expectNewestFirst();
  offset -= SECONDS;
  await client.post(`${thread}/state`, { values: { title: 'renamed' } });
  await expectNewestFirst();
  test.model.enqueue(answer.script(step.text('half '), step.hang()));
  const undone = await jsonOf<RunJson>(client.post(`${thread}/runs`, question('undone')));
  await test.model.requested(4);
  await client.post(`${thread}/runs/${undone.run_id}/cancel?wait=1&action=rollback`);
  await ask('after the rollback');
  await expectNewestFirst();
});

it('[protocol.numbers] numbers rise and are the same for every reader, although the clock goes back between runs', async () => {
  let offset = 0;
  test = await openTestService({ overrides: { now: () => Date.now() + offset } });
  const client = await test.user();
  const threadId = await newThread(client);
  const thread = `/api/graph/threads/${threadId}`;
  const ask = async (content: string): Promise<void> => {
    test.model.enqueue(answer.text(`re ${content}`));
    await (await client.post(`${thread}/runs/wait`, question(content))).text();
    offset -= SECONDS;
  };
  /** Reads until `ends` runs have ended; calls `afterFirst` after the first one. */
  const read = async (ends: number, body: object, afterFirst = async () => {}) => {
    const seen: ProtocolEventJson[] = [];
    let left = ends;
    for await (const frame of framesOf(await client.post(`${thread}/stream/events`, body))) {
      const event = frame.data as ProtocolEventJson;
      seen.push(event);
      if (isTerminal(event) && --left === ends - 1) await afterFirst();
      if (left === 0) break;
    }
    return seen;
  };
  const channels = ['values', 'updates', 'messages', 'lifecycle'];
  await ask('one');
  const all = await read(3, { channels }, async () => {
    await ask('two');
    await ask('three');
  });
  const numbers = all.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  const lastRun = await read(1, { channels });
  expect(lastRun).toEqual(all.slice(-lastRun.length));
  const ended = all.find(isTerminal);
  expect(await read(1, { channels, since: ended?.seq })).toEqual(lastRun);
  // A run that ends before it begins has numbers, too.
  const gate = Promise.withResolvers<void>();
  test.model.enqueue(answer.script(step.text('slow'), step.until(gate.promise), step.finish(), step.done()));
  const busy = await jsonOf<RunJson>(client.post(`${thread}/runs`, question('busy')));
  await test.model.requested(4);
  offset -= SECONDS;
  const waiting: RunJson[] = [];
  for (const content of ['a', 'b', 'c'])
    waiting.push(await jsonOf<RunJson>(client.post(`${thread}/runs`, question(content))));
  for (const { run_id } of waiting) await client.post(`${thread}/runs/${run_id}/cancel?wait=1`);
  gate.resolve();
  await (await client.get(`${thread}/runs/${busy.run_id}/join`)).text();
  const afterwards = await read(4, { channels, since: numbers.at(-1) });
  const later = [...numbers, ...afterwards.map(({ seq }) => seq)];
  expect(later).toEqual([...new Set(later)].toSorted((a, b) => a - b));
  expect(afterwards.filter(isTerminal)).toHaveLength(4);
});

it('[protocol.numbers] numbers rise for a reader that joins a run after a waiting run was cancelled', async () => {
  test = await openTestService();
  const client = await test.user();
  const threadId = await newThread(client);
  const thread = `/api/graph/threads/${threadId}`;
  const gate = Promise.withResolvers<void>();
  test.model.enqueue(answer.script(step.text('slow'), step.until(gate.promise), step.finish(), step.done()));
  const busy = await jsonOf<RunJson>(client.post(`${thread}/runs`, question('busy')));
  await test.model.requested(1);
  const read = async () => {
    const body = { channels: ['values', 'updates', 'messages', 'lifecycle'] };
    const frames = framesOf(await client.post(`${thread}/stream/events`, body));
    const seen: ProtocolEventJson[] = [];
    for await (const frame of frames) {
      seen.push(frame.data as ProtocolEventJson);
      if (seen.filter(isTerminal).length === 2) break;
    }
    return seen;
  };
  const early = read();
  const waiting = await jsonOf<RunJson>(client.post(`${thread}/runs`, question('waiting')));
  await client.post(`${thread}/runs/${waiting.run_id}/cancel?wait=1`);
  const frames = framesOf(await client.post(`${thread}/stream/events`, { channels: ['lifecycle'] }));
  const first = (await frames.next()).value?.data as ProtocolEventJson;
  await frames.return();
  expect(first.event_id).toContain(busy.run_id);
  const late = read();
  gate.resolve();
  const seen = await late;
  expect(seen).toEqual(await early);
  const numbers = seen.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  const ends = seen.filter(isTerminal).map(({ params }) => params.data.event);
  expect(ends).toEqual(['completed', 'interrupted']);
  expect(seen.at(-1)?.event_id).toContain(waiting.run_id);
});

it('[protocol.numbers] numbers rise for a reader of a waiting run when a later one is cancelled', async () => {
  test = await openTestService({ config: { runs: { per_user: 1 } } });
  const client = await test.user();
  const [elsewhere, threadId] = [await newThread(client), await newThread(client)];
  const thread = `/api/graph/threads/${threadId}`;
  const gates = { first: Promise.withResolvers<void>(), elsewhere: Promise.withResolvers<void>() };
  test.model.onRequest(async ({ lastUserText }) => {
    if (lastUserText === 'first') await gates.first.promise;
    if (lastUserText === 'elsewhere') await gates.elsewhere.promise;
    return answer.text(`re ${lastUserText}`);
  });
  const start = (content: string, path = `${thread}/runs`) =>
    jsonOf<RunJson>(client.post(path, question(content)));
  await start('first');
  await test.model.requested(1);
  await start('elsewhere', `/api/graph/threads/${elsewhere}/runs`);
  const waiting = await start('waiting');
  const cancelled = await start('cancelled');
  const response = await client.post(`${thread}/stream/events`, { channels: ['lifecycle'] });
  const seen: ProtocolEventJson[] = [];
  const ends = () => seen.filter(isTerminal).length;
  const reading = (async () => {
    for await (const { data } of framesOf(response)) {
      seen.push(data as ProtocolEventJson);
      if (ends() === 3) break;
    }
  })();
  gates.first.resolve();
  await expect.poll(ends).toBe(1);
  // Now the reader waits for the run that waits for capacity.
  await test.model.requested(2);
  await client.post(`${thread}/runs/${cancelled.run_id}/cancel?wait=1`);
  gates.elsewhere.resolve();
  await reading;
  const numbers = seen.map(({ seq }) => seq);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  const [, next, last] = seen.filter(isTerminal);
  expect([next?.event_id, last?.event_id]).toEqual([
    expect.stringContaining(cancelled.run_id),
    expect.stringContaining(waiting.run_id),
  ]);
});
