// A database that becomes unavailable while replies are streamed (fault.F18).

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { ownTime } from '../support/own-time.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { MODES } from '../support/run-stream.ts';
import { newThread, openTestService, question, streamed } from '../support/service.ts';
import { dataOf, framesOf, type TestFrame } from '../support/sse.ts';
import { differencesIn } from '../support/stored-truth.ts';
import { openHolder } from './database-holder.ts';
import { LEASE_MS, type Place, type Processes, startProcesses } from './processes-behind-proxy.ts';
import type { Afterwards } from './through-proxy.ts';

/** Milliseconds until all work continues, in the time of this process. */
const RECOVERY_MS = { inProcess: 5_000, processes: 10_000 };
const STREAMS = 4;

interface Outage {
  readonly places: readonly Place[];
  /** Whether reading fails, too. */
  readonly stopsReading: boolean;
  readonly recoveryMs: number;
  /** Takes the database away in the middle of the writes that `begin` causes. */
  down(begin: () => void): Promise<void>;
  up(): void;
}

/** The connection breaks between a commit and its response; after that, connections are silent or refused. */
function brokenWay({ places, proxy }: Processes, next: 'stall' | 'down'): Outage {
  return {
    places,
    stopsReading: true,
    recoveryMs: RECOVERY_MS.processes,
    async down(begin) {
      const lost = Promise.withResolvers<void>();
      proxy.lose('answer to commit', () => {
        proxy[next]();
        lost.resolve();
      });
      begin();
      await lost.promise;
    },
    up: proxy.up,
  };
}

/** Another program locks the file: writes wait, reads do not. */
async function openSqlite(afterwards: Afterwards): Promise<Outage> {
  const folder = await mkdtemp(join(tmpdir(), 'outage-'));
  const path = join(folder, 'service.db');
  const test = await openTestService({ config: { database: { url: `sqlite:${path}` } } });
  const client = await test.user();
  const holder = openHolder(path);
  afterwards(async () => {
    holder.close();
    await test.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    places: [{ client, model: test.model }],
    stopsReading: false,
    recoveryMs: RECOVERY_MS.inProcess,
    async down(begin) {
      await holder.hold();
      begin();
    },
    up: holder.letGo,
  };
}

const WORDS = Array.from({ length: 60 }, (_, index) => `word${index} `);

/** Replies with one word, then most words while the database is away, and the last one when it is back. */
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

/** Repeats the request until it succeeds. */
async function comeBack(client: HttpClient, ...request: Parameters<HttpClient['get']>): Promise<Response> {
  for (;;) {
    const response = await client.get(...request);
    if (response.status === 200) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function reading(client: HttpClient): Promise<LiveReader> {
  const threadId = await newThread(client);
  const path = `/api/graph/threads/${threadId}/runs/stream`;
  const response = await client.post(path, question('hi', { stream_mode: MODES }));
  const speaking = Promise.withResolvers<void>();
  const frames: TestFrame[] = [];
  const receive = async (connection: Response): Promise<void> => {
    for await (const frame of framesOf(connection)) {
      frames.push(frame);
      if (frame.event === 'messages') speaking.resolve();
    }
  };
  const read = async (): Promise<readonly TestFrame[]> => {
    let connection = response;
    for (;;) {
      // The database delivers runs of other workers, so their reader loses its connection and comes back
      // later.
      await receive(connection).catch(() => {});
      if (frames.at(-1)?.event === 'end') return frames;
      const [metadata] = dataOf<{ run_id: string }>(frames, 'metadata');
      connection = await comeBack(client, `/api/graph/threads/${threadId}/runs/${metadata?.run_id}/stream`, {
        'last-event-id': frames.at(-1)?.id ?? '',
      });
    }
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
  expect(run).toMatchObject({ status: 'success', attempt: 1, llm_call_count: 1 });
  const replay: TestFrame[] = [];
  for await (const frame of framesOf(await client.get(`${path}/runs/${run?.run_id}/stream`)))
    replay.push(frame);
  expect(received).toEqual(replay);
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  expect(values.messages.map(({ content }) => content)).toEqual(['hi', `${WORDS.join('')}end`]);
}

interface Speaking {
  readonly client: HttpClient;
  readonly readers: readonly LiveReader[];
}

/** Begins some replies at each of the services. */
async function speakAt(places: readonly Place[], script: Parameters<typeof answerAcross>) {
  // Any of the services may claim a run, whichever got the request.
  for (const { model } of places) model.onRequest(() => answerAcross(...script));
  const speaking: Speaking[] = [];
  for (const { client } of places) {
    const readers = await Promise.all(Array.from({ length: STREAMS }, () => reading(client)));
    await Promise.all(readers.map((reader) => reader.speaking));
    speaking.push({ client, readers });
  }
  return speaking;
}

const passed = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function expectAllRefused(speaking: readonly Speaking[], stopsReading: boolean): Promise<void> {
  for (const { client, readers } of speaking) {
    await Promise.all([
      client.post('/api/graph/runs', question('another one')).then(expectRefusedForNow),
      client.get('/health/ready').then(({ status }) => expect(status).toBe(503)),
      client.get(`/api/graph/threads/${readers[0]?.threadId}/state`).then(async (response) => {
        if (stopsReading) await expectRefusedForNow(response);
        else expect(response.status).toBe(200);
      }),
    ]);
  }
}

/** `meanwhile` resolves when the database may come back. */
async function expectNothingLost(
  outage: Outage,
  meanwhile: (speaking: readonly Speaking[]) => Promise<void>,
): Promise<void> {
  const { places, recoveryMs } = outage;
  const [away, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  for (const { model } of places) model.reset();
  const speaking = await speakAt(places, [away.promise, back.promise]);
  await outage.down(() => away.resolve());
  await meanwhile(speaking);
  outage.up();
  const took = ownTime();
  back.resolve();
  const all = speaking.flatMap(({ readers }) => readers);
  await Promise.all(all.map(({ frames }) => frames));
  expect(took()).toBeLessThan(recoveryMs);
  expect(places.flatMap(({ model }) => model.requests)).toHaveLength(places.length * STREAMS);
  for (const { model } of places) model.onRequest(() => answer.text('fine'));
  for (const { client, readers } of speaking) {
    for (const reader of readers) await expectWholeAnswer(client, reader);
    expect((await streamed(client, await newThread(client), question('hi'))).at(-1)?.event).toBe('end');
  }
}

/** Checks that the usage agrees with the record, which has each call once. */
async function expectBilledOnce(url: string, calls: number): Promise<void> {
  const storage = await openStorage({ url, log: QUIET_LOG });
  try {
    expect(await differencesIn(storage)).toEqual([]);
  } finally {
    await storage.close();
  }
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  const { rows } = await database.query('select sum(calls)::int as calls from usage_days');
  await database.end();
  expect(rows).toEqual([{ calls }]);
}

describe.concurrent('a database that is away', () => {
  it('[fault.F18] Postgres for 1 s, and silent for longer than a lease, with two processes: streams wait, no call, write or count happens twice', async ({
    onTestFinished,
  }) => {
    const processes = await startProcesses(onTestFinished, 2);
    await expectNothingLost(brokenWay(processes, 'down'), () => passed(1_000));
    await expectNothingLost(brokenWay(processes, 'stall'), () => passed(1.5 * LEASE_MS));
    // Each reply, and one more at each process.
    await expectBilledOnce(processes.url, 2 * 2 * (STREAMS + 1));
  });

  it('[fault.F18] Postgres for longer than leases last, first silent and then away, with three processes: streams wait, requests get a 503, no call, write or count happens twice', async ({
    onTestFinished,
  }) => {
    const processes = await startProcesses(onTestFinished, 3);
    const { proxy, url } = processes;
    await expectNothingLost(brokenWay(processes, 'stall'), async (speaking) => {
      await passed(LEASE_MS);
      proxy.down();
      await Promise.all([passed(2 * LEASE_MS), expectAllRefused(speaking, true)]);
    });
    await expectBilledOnce(url, 3 * (STREAMS + 1));
  });

  it.for([
    ['1 s', 1_000],
    ['10 s', 10_000],
  ] as const)(
    '[fault.F18] SQLite for %s: streams wait, requests get a 503, and nothing is lost',
    async ([, ms], { onTestFinished }) => {
      await expectNothingLost(await openSqlite(onTestFinished), async (speaking) => {
        const over = passed(ms);
        if (ms > LEASE_MS) await expectAllRefused(speaking, false);
        await over;
      });
    },
  );
});
