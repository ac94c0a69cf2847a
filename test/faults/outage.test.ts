// A database that goes away while answers are streamed (reliability F18).

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { ownTime } from '../support/own-time.ts';
import { MODES } from '../support/run-stream.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { framesOf, type TestFrame } from '../support/sse.ts';
import { openHolder } from './database-holder.ts';
import { type Afterwards, openThroughProxy } from './through-proxy.ts';

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

async function openPostgres(afterwards: Afterwards): Promise<Outage> {
  const { test, proxy } = await openThroughProxy(afterwards);
  return { test, stopsReading: true, down: proxy.down, up: proxy.up };
}

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
