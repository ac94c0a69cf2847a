// A process that waits sends no queries, and hears when the event happens.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { countStatements } from '../support/counted-statements.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { quickTimers } from '../support/quick-timers.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { allFrames, framesOf } from '../support/sse.ts';

const PATIENCE = { timeout: 20_000, interval: 20 };
/** How much faster than the clock the timers run. */
const FACTOR = 100;

const afterwards: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const work of afterwards.splice(0).toReversed()) await work();
});

type Kind = 'SQLite' | 'PostgreSQL';

/** Returns a function that opens services on one database. */
async function openDatabase(kind: Kind) {
  const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  afterwards.push(() => rm(dataHome, { recursive: true, force: true }));
  const postgres = kind === 'PostgreSQL' ? await openTestPostgres() : undefined;
  if (postgres !== undefined) afterwards.push(() => postgres.close());
  const url = postgres?.url ?? `sqlite:${join(dataHome, 'service.db')}`;
  const open = async (timers = quickTimers(1)): Promise<TestService> => {
    const test = await openTestService({ dataHome, config: { database: { url } }, overrides: { timers } });
    afterwards.push(() => test.close());
    // Every waiter polls once when notices begin to arrive.
    await expect.poll(() => test.service.storage.notices.arrive(), PATIENCE).toBe(true);
    return test;
  };
  return { url, open };
}

/** Returns a client with the same session at another process. */
function elsewhere(client: HttpClient, { service }: TestService): HttpClient {
  const other = createHttpClient(service.app);
  for (const [name, value] of client.cookies) other.cookies.set(name, value);
  return other;
}

/** Starts a run that produces some text and then hangs. */
async function silentRun(test: TestService, client: HttpClient, reply = answer.hangMidStream('so far')) {
  const runs = `/api/graph/threads/${await newThread(client)}/runs`;
  test.model.enqueue(reply);
  const body = question('hi', { stream_mode: ['messages-tuple'], on_disconnect: 'continue' });
  for await (const { event, data } of framesOf(await client.post(`${runs}/stream`, body)))
    if (event === 'metadata') return { runs, run: `${runs}/${(data as RunJson).run_id}` };
  throw new Error('the stream had no metadata');
}

/** Reads the stream of the run up to its first message, unless the run is waiting. */
async function follow(client: HttpClient, run: string, isWaiting = false) {
  const frames = framesOf(await client.get(`${run}/stream?stream_mode=messages-tuple`));
  if (!isWaiting) while ((await frames.next()).value?.event !== 'messages');
  return frames;
}

/** Queries of a reader. One query per process checks the sessions of all readers. */
const asksOfRun = (text: string) => /^\s*select.*from ("run_frames"|"runs".*"runs"\."run_id" = )/s.test(text);

/** One every two seconds of the timers. */
const isRenewal = (text: string) => text.includes('holds_runs');

describe.each<Kind>(['SQLite', 'PostgreSQL'])('on %s', (kind) => {
  it('[wake.idle] an idle process asks at most one statement a second', async () => {
    const { open } = await openDatabase(kind);
    const timers = quickTimers(FACTOR);
    await open(timers);
    const statements = countStatements();
    afterwards.push(async () => statements.stop());
    const renewals = (texts: readonly string[]) => texts.filter(isRenewal).length;
    // The first pass of every job is over.
    await expect.poll(() => renewals(statements.take()), PATIENCE).toBeGreaterThan(0);
    const begun = timers.elapsed();
    const asked: string[] = [];
    await expect
      .poll(() => {
        asked.push(...statements.take());
        return timers.elapsed() - begun > 300_000 && renewals(asked) > 50;
      }, PATIENCE)
      .toBe(true);
    expect(asked.length).toBeLessThanOrEqual((timers.elapsed() - begun) / 1_000);
  });

  it('[wake.queued] a reader of a queued run polls once, and sends no more queries until the run begins', async () => {
    const { open } = await openDatabase(kind);
    const test = await open();
    const client = await test.user();
    const { runs, run } = await silentRun(test, client);
    const body = question('and then?', { multitask_strategy: 'enqueue' });
    const queued = `${runs}/${(await jsonOf<RunJson>(client.post(runs, body))).run_id}`;
    const readers = await Promise.all([1, 2, 3].map(() => follow(client, queued, true)));
    const statements = countStatements();
    afterwards.push(async () => statements.stop());
    const firsts = readers.map((frames) => frames.next());
    // Each reader polls once for changes from before it came.
    const asked: string[] = [];
    await expect
      .poll(() => asked.push(...statements.take()) && asked.filter(asksOfRun).length, PATIENCE)
      .toBe(2 * readers.length);
    const later: string[] = [];
    await expect
      .poll(() => later.push(...statements.take()) && later.filter(isRenewal).length, PATIENCE)
      .toBeGreaterThan(1);
    expect(later.filter(asksOfRun)).toHaveLength(0);
    test.model.enqueue(answer.text('this'));
    await client.post(`${run}/cancel`);
    for (const first of firsts) expect((await first).value?.event).toBe('metadata');
  });

  it('[wake.queued.cancelled] readers of a queued run learn that it was cancelled', async () => {
    const { open } = await openDatabase(kind);
    const test = await open();
    const client = await test.user();
    const { runs } = await silentRun(test, client);
    const body = question('and then?', { multitask_strategy: 'enqueue' });
    const queued = `${runs}/${(await jsonOf<RunJson>(client.post(runs, body))).run_id}`;
    const frames = follow(client, queued, true);
    const end = frames.then(async (it) => {
      for await (const { event } of it) if (event === 'end') return 'ended';
      return 'cut off';
    });
    await client.post(`${queued}/cancel`);
    expect(await end).toBe('ended');
  });
});

describe('with two processes', () => {
  it('[wake.foreign] a reader at another process sends no queries while the run is silent, and hears immediately', async () => {
    const { open } = await openDatabase('PostgreSQL');
    const [test, other] = [await open(), await open()];
    const client = await test.user();
    const { runs, run } = await silentRun(test, client);
    const body = question('and then?', { multitask_strategy: 'enqueue' });
    const queued = `${runs}/${(await jsonOf<RunJson>(client.post(runs, body))).run_id}`;
    const abroad = elsewhere(client, other);
    const silent = await follow(abroad, run);
    const waiting = await follow(abroad, queued, true);
    const said = silent.next();
    const first = waiting.next();
    const statements = countStatements();
    afterwards.push(async () => statements.stop());
    // Each waiting reader polls once for changes from before it came.
    const looked: string[] = [];
    await expect
      .poll(() => looked.push(...statements.take()) && looked.filter(asksOfRun).length, PATIENCE)
      .toBe(2);
    const asked: string[] = [];
    await expect
      .poll(() => asked.push(...statements.take()) && asked.filter(isRenewal).length, PATIENCE)
      .toBeGreaterThan(1);
    expect(asked.filter(asksOfRun)).toHaveLength(0);
    test.model.enqueue(answer.text('this'));
    const begun = performance.now();
    await client.post(`${run}/cancel`);
    expect((await said).done).toBe(false);
    expect((await first).value?.event).toBe('metadata');
    // Without a notice, a reader polls after thirty seconds.
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it('[wake.lost] a process that lost its connection for notices polls, and hears again on a new one', async () => {
    const { url, open } = await openDatabase('PostgreSQL');
    const [test, other] = [await open(), await open()];
    const client = await test.user();
    const abroad = elsewhere(client, other);
    const server = new pg.Client({ connectionString: url });
    await server.connect();
    afterwards.push(() => server.end());
    const listening = async (): Promise<readonly number[]> => {
      const mine = 'datname = current_database() and pid <> pg_backend_pid()';
      const { rows } = await server.query<{ pid: number }>(
        `select pid from pg_stat_activity where ${mine} and query = 'listen agent_service'`,
      );
      return rows.map(({ pid }) => pid);
    };
    await expect.poll(async () => (await listening()).length, PATIENCE).toBe(2);
    const { run } = await silentRun(test, client);
    const frames = await follow(abroad, run);
    const before = await listening();
    const next = frames.next();
    for (const pid of before) await server.query('select pg_terminate_backend($1)', [pid]);
    // Cancelled by way of a process whose notices nobody receives.
    await abroad.post(`${run}/cancel`);
    expect((await next).done).toBe(false);
    await expect
      .poll(async () => (await listening()).filter((pid) => !before.includes(pid)).length, PATIENCE)
      .toBe(2);
    const again = await silentRun(test, client);
    expect(await jsonOf<RunJson>(abroad.get(again.run))).toMatchObject({ status: 'running' });
    expect((await abroad.post(`${again.run}/cancel?wait=1`)).status).toBe(204);
  });

  it('[wake.thread] a reader of the list of threads receives changes by another process', async () => {
    const { open } = await openDatabase('PostgreSQL');
    const [test, other] = [await open(), await open()];
    const client = await test.user();
    const abroad = elsewhere(client, other);
    const { body: changed } = await abroad.get('/api/thread-changes');
    if (changed === null) throw new Error('the answer has no body');
    const changes = changed.pipeThrough(new TextDecoderStream());
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('an answer'));
    await allFrames(await client.post(`/api/graph/threads/${threadId}/runs/stream`, question('hi')));
    let told = '';
    for await (const piece of changes) {
      told += piece;
      if (told.includes(threadId)) break;
    }
    expect(told).toContain(threadId);
  });
});
