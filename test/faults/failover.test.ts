// A PostgreSQL server that fails over to a replica that was behind, while the service runs and readers stay
// connected.
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { MODES } from '../support/run-stream.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { allFrames, framesOf, type TestFrame } from '../support/sse.ts';

let postgres: TestPostgres;
let test: TestService;
let client: HttpClient;
beforeEach(async () => {
  postgres = await openTestPostgres();
  test = await openTestService({
    config: { database: { url: postgres.url }, runs: { lease_renewal_ms: 100 } },
  });
  client = await test.user();
});
afterEach(async () => {
  await test.close();
  await postgres.close();
  await onServer(`drop database if exists ${primary()}_replica with (force)`);
  await onServer(`drop database if exists ${primary()}_gone with (force)`);
});

const primary = () => new URL(postgres.url).pathname.slice(1);

async function onServer(...statements: readonly string[]): Promise<void> {
  const url = new URL(postgres.url);
  url.pathname = '/postgres';
  const connection = new pg.Client({ connectionString: url.href });
  await connection.connect();
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await connection.end();
  }
}

/** Ends all connections and allows none until `allow`. */
const forbid = () => [
  `alter database ${primary()} allow_connections false`,
  `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${primary()}'`,
];
const allow = () => [`alter database ${primary()} allow_connections true`];

/** Creates the replica; it receives nothing after that. */
const leaveReplicaBehind = () =>
  onServer(...forbid(), `create database ${primary()}_replica template ${primary()}`, ...allow());

const failOver = () =>
  onServer(
    ...forbid(),
    `alter database ${primary()} rename to ${primary()}_gone`,
    `alter database ${primary()}_replica rename to ${primary()}`,
  );

const textOf = (frames: readonly TestFrame[]): string =>
  frames
    .filter(({ event }) => event === 'messages')
    .map(({ data }) => (data as [{ content: string }])[0].content)
    .join('');

it('[runs.epochs.failover] the service continues from the replica, and a connected reader gets a gap', {
  timeout: 60_000,
}, async () => {
  const isBehind = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<void>();
  test.model.enqueue(
    answer.script(
      ...['one ', 'two '].map(step.text),
      step.until(isBehind.promise),
      ...['three ', 'four '].map(step.text),
      step.until(isOver.promise),
      ...['five ', 'six '].map(step.text),
      step.finish(),
      step.done(),
    ),
    answer.text(['eins ', 'zwei ', 'drei ', 'vier ', 'fünf ', 'sechs ']),
  );
  const threadId = await newThread(client);
  const runs = `/api/graph/threads/${threadId}/runs`;
  const body = question('count', { stream_mode: MODES });
  const { run_id: runId } = await jsonOf<RunJson>(client.post(runs, body));
  const path = `${runs}/${runId}/stream`;
  const frames: TestFrame[] = [];
  const waiting = [
    { text: 'one two ', happen: leaveReplicaBehind, gate: isBehind },
    { text: 'one two three four ', happen: failOver, gate: isOver },
  ];
  for await (const frame of framesOf(await client.get(path))) {
    frames.push(frame);
    const [next] = waiting;
    if (next === undefined || textOf(frames) !== next.text) continue;
    waiting.shift();
    await next.happen();
    next.gate.resolve();
  }
  const gap = frames.findIndex(({ event }) => event === 'gap');
  const { kept_through: through } = (frames[gap]?.data ?? {}) as { kept_through: number };
  expect(frames[gap]).toMatchObject({
    id: frames[gap - 1]?.id,
    data: { code: 'stream_replaced', run_id: runId, requested_event_id: frames[gap - 1]?.id },
  });
  expect(textOf(frames.slice(0, gap))).toBe('one two three four ');
  const whole = await allFrames(await client.get(path));
  const kept = frames.slice(0, gap).filter(({ id }) => Number(id.split('-')[0]) <= through);
  expect([...kept, ...frames.slice(gap + 1)]).toEqual(whole);
  expect(textOf(whole.slice(kept.length))).toBe('eins zwei drei vier fünf sechs ');
  expect(await jsonOf<RunJson>(client.get(`${runs}/${runId}`))).toMatchObject({
    status: 'success',
    attempt: 2,
  });
  const { values } = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  expect(values.messages.at(-1)).toMatchObject({ content: 'eins zwei drei vier fünf sechs ' });
});

it('[runs.epochs.failover] a run whose end is lost ends once more, and readers of that end get a gap', {
  timeout: 60_000,
}, async () => {
  const isBehind = Promise.withResolvers<void>();
  const words = ['three ', 'four '].map(step.text);
  const first = [step.text('one '), step.until(isBehind.promise), ...words, step.finish(), step.done()];
  test.model.onRequest(() => answer.text(['eins ', 'zwei ', 'drei ']));
  test.model.enqueue(answer.script(...first));
  const threadId = await newThread(client);
  const runs = `/api/graph/threads/${threadId}/runs`;
  const body = question('count', { stream_mode: MODES });
  const { run_id: runId } = await jsonOf<RunJson>(client.post(runs, body));
  const path = `${runs}/${runId}/stream`;
  const seen: TestFrame[] = [];
  for await (const frame of framesOf(await client.get(path))) {
    seen.push(frame);
    if (textOf(seen) !== 'one ' || frame.event !== 'messages') continue;
    await leaveReplicaBehind();
    isBehind.resolve();
  }
  expect([textOf(seen), seen.at(-1)?.event]).toEqual(['one three four ', 'end']);
  await failOver();
  const status = async () => (await client.get(`${runs}/${runId}`)).json();
  await expect.poll(status, { timeout: 40_000 }).toMatchObject({ status: 'success', attempt: 2 });
  const whole = await allFrames(await client.get(path));
  expect(textOf(whole)).toMatch(/eins zwei drei $/);
  const accept = 'text/event-stream';
  const back = await client.get(path, { 'last-event-id': seen.at(-1)?.id ?? '', accept });
  const [gap, ...rest] = await allFrames(back);
  expect(gap).toMatchObject({ event: 'gap', data: { code: 'stream_replaced', run_id: runId } });
  const { kept_through: through } = (gap?.data ?? {}) as { kept_through: number };
  const kept = seen.filter(({ id }) => Number(id.split('-')[0]) <= through);
  expect([...kept, ...rest]).toEqual(whole);
});
