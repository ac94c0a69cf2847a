// A database that goes away while answers are streamed (reliability F18), and connections that break (F19).

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { type LossyProxy, openLossyProxy } from '../storage/lossy-proxy.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { ownTime } from '../support/own-time.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { MODES } from '../support/run-stream.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { framesOf, type TestFrame } from '../support/sse.ts';
import { openHolder } from './database-holder.ts';

const RECOVERY_MS = 5_000;
const STREAMS = 5;
const LENGTHS = [
  ['1 s', 1_000],
  ['30 s', 30_000],
] as const;

interface Outage {
  readonly test: TestService;
  /** Whether reading fails, too. */
  readonly stopsReading: boolean;
  down(): Promise<void> | void;
  up(): void;
}

async function openPostgres(
  afterwards: Afterwards,
): Promise<Outage & { readonly proxy: LossyProxy; readonly url: string }> {
  const postgres = await openTestPostgres();
  const proxy = await openLossyProxy(postgres.url);
  const test = await openTestService({ config: { database: { url: proxy.url } } });
  afterwards(async () => {
    await test.close();
    await proxy.close();
    await postgres.close();
  });
  return { test, stopsReading: true, proxy, url: postgres.url, down: proxy.down, up: proxy.up };
}

/** What is done when the test is over. */
type Afterwards = (work: () => Promise<void>) => void;

/** Another program holds the file: what is written waits, what is read does not. */
async function openSqlite(afterwards: Afterwards): Promise<Outage> {
  const folder = await mkdtemp(join(tmpdir(), 'outage-'));
  const path = join(folder, 'service.db');
  const test = await openTestService({ config: { database: { url: `sqlite:${path}` } } });
  const holder = openHolder(path);
  afterwards(async () => {
    holder.close();
    await test.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    test,
    stopsReading: false,
    down: holder.hold,
    up: holder.letGo,
  };
}

const WORDS = Array.from({ length: 60 }, (_, index) => `word${index} `);

/** One word, then the rest while the database is away, and the last one when it is back. */
function answerAcross(away: Promise<void>, back: Promise<void>) {
  const [first = '', ...rest] = WORDS;
  return answer.script(
    ...[step.text(first), step.until(away), ...rest.map(step.text)],
    ...[step.until(back), step.text('end'), step.finish(), step.done()],
  );
}

interface LiveReader {
  readonly threadId: string;
  readonly speaking: Promise<void>;
  readonly frames: Promise<readonly TestFrame[]>;
}

async function reading(client: HttpClient): Promise<LiveReader> {
  const threadId = await newThread(client);
  const path = `/api/graph/threads/${threadId}/runs/stream`;
  const response = await client.post(path, question('hi', { stream_mode: MODES }));
  const speaking = Promise.withResolvers<void>();
  const read = async (): Promise<readonly TestFrame[]> => {
    const frames: TestFrame[] = [];
    for await (const frame of framesOf(response)) {
      frames.push(frame);
      if (frame.event === 'messages') speaking.resolve();
    }
    return frames;
  };
  return { threadId, speaking: speaking.promise, frames: read() };
}

async function expectRefusedForNow(response: Response): Promise<void> {
  expect([response.status, response.headers.get('retry-after')]).toEqual([
    503,
    expect.stringMatching(/^\d+$/),
  ]);
  await response.body?.cancel();
}

async function expectWholeAnswer(client: HttpClient, { threadId, frames }: LiveReader): Promise<void> {
  const path = `/api/graph/threads/${threadId}`;
  const received = await frames;
  expect(received.at(-1)?.event).toBe('end');
  const [run] = await jsonOf<RunJson[]>(client.get(`${path}/runs?limit=1`));
  expect(run).toMatchObject({ status: 'success', attempt: 1 });
  const replay: TestFrame[] = [];
  for await (const frame of framesOf(await client.get(`${path}/runs/${run?.run_id}/stream`)))
    replay.push(frame);
  expect(received).toEqual(replay);
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  expect(values.messages.map(({ content }) => content)).toEqual(['hi', `${WORDS.join('')}end`]);
}

async function expectNothingLost(outage: Outage, lengthMs: number): Promise<void> {
  const { test, stopsReading } = outage;
  const client = await test.user();
  const [away, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  test.model.onRequest(() => answerAcross(away.promise, back.promise));
  const readers = await Promise.all(Array.from({ length: STREAMS }, () => reading(client)));
  await Promise.all(readers.map(({ speaking }) => speaking));
  const [first] = readers;
  const path = `/api/graph/threads/${first?.threadId}`;

  await outage.down();
  const over = new Promise((resolve) => setTimeout(resolve, lengthMs));
  away.resolve();
  if (lengthMs > 10_000) {
    await Promise.all([
      client.post('/api/graph/runs', question('another one')).then(expectRefusedForNow),
      client.get('/health/ready').then(({ status }) => expect(status).toBe(503)),
      client.get(`${path}/state`).then(async (response) => {
        if (stopsReading) await expectRefusedForNow(response);
        else expect(response.status).toBe(200);
      }),
    ]);
  }
  await over;
  outage.up();
  const took = ownTime();
  back.resolve();
  await Promise.all(readers.map(({ frames }) => frames));
  expect(took()).toBeLessThan(RECOVERY_MS);
  for (const reader of readers) await expectWholeAnswer(client, reader);
  test.model.onRequest(() => answer.text('fine'));
  expect((await streamed(client, await newThread(client), question('hi'))).at(-1)?.event).toBe('end');
}

describe.concurrent('a database that is away', () => {
  it.for(LENGTHS)(
    '[fault.F18] Postgres for %s: streams wait, requests are told to, and nothing is lost',
    async ([, ms], { onTestFinished }) => {
      await expectNothingLost(await openPostgres(onTestFinished), ms);
    },
  );

  it.for(LENGTHS)(
    '[fault.F18] SQLite for %s: streams wait, requests are told to, and nothing is lost',
    async ([, ms], { onTestFinished }) => {
      await expectNothingLost(await openSqlite(onTestFinished), ms);
    },
  );
});

describe('connections that break', () => {
  const ROUNDS = 6;

  /** Everything that a client does with a thread; the texts that it holds in the end. */
  async function conversation(client: HttpClient, before: () => void): Promise<readonly unknown[]> {
    const done = async (request: () => Promise<Response>): Promise<unknown> => {
      before();
      const response = await request();
      expect(response.status).toBeLessThan(300);
      return response.status === 204 ? undefined : response.json();
    };
    const { thread_id: threadId } = (await done(() => client.post('/api/graph/threads', {}))) as RunJson;
    const path = `/api/graph/threads/${threadId}`;
    for (const text of ['one', 'two']) await done(() => client.post(`${path}/runs/wait`, question(text)));
    await done(() => client.patch(path, { metadata: { a: 1 } }));
    const copy = (await done(() => client.post(`${path}/copy`))) as RunJson;
    await done(() => client.get(`${path}/runs?limit=5`));
    await done(() => client.delete(path));
    const state = (await done(() => client.get(`/api/graph/threads/${copy.thread_id}/state`))) as StateJson;
    return state.values.messages.map(({ content }) => content);
  }

  it('[fault.F19] at a commit or its answer, at any request: each is done once', async ({
    onTestFinished,
  }) => {
    const { test, proxy } = await openPostgres(onTestFinished);
    test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    const client = await test.user();
    for (let round = 0; round < ROUNDS; round++) {
      const loss = round % 2 === 0 ? 'commit' : 'answer to commit';
      expect(await conversation(client, () => proxy.lose(loss))).toEqual(['one', 're one', 'two', 're two']);
    }
    expect(proxy.losses()).toBeGreaterThan(4 * ROUNDS);
    const threads = await jsonOf<unknown[]>(client.post('/api/graph/threads/search', { limit: 100 }));
    expect(threads).toHaveLength(ROUNDS);
  });

  it('[fault.F19] because the server ends them again and again: nobody notices', async ({
    onTestFinished,
  }) => {
    const { test, url } = await openPostgres(onTestFinished);
    test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    const client = await test.user();
    const killer = new pg.Client({ connectionString: url });
    await killer.connect();
    let killed = 0;
    const end = async (): Promise<void> => {
      const { rowCount } = await killer.query(END_ALL);
      killed += rowCount ?? 0;
    };
    // Once a request: where each takes longer than the next end is away, nothing could ever be done.
    let endsLeft = 0;
    const ending = setInterval(() => void (endsLeft-- > 0 && end()), 50);
    for (let round = 0; round < ROUNDS; round++) {
      const said = await conversation(client, () => (endsLeft = 1));
      expect(said).toEqual(['one', 're one', 'two', 're two']);
    }
    clearInterval(ending);
    await end();
    await killer.end();
    expect(killed).toBeGreaterThan(ROUNDS);
  });
});

const END_ALL = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;
