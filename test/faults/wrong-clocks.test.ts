// Two processes on one database whose clocks are two hours apart (fault.F27).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { newThread, question } from '../support/service.ts';
import { type FaultService, startFaultService } from './fault-service.ts';

const HOUR_MS = 3_600_000;
interface TimedRun extends RunJson {
  readonly created_at: string;
  readonly updated_at: string;
}

const PRELOAD = import.meta.resolve('./wrong-clock.mjs');

let postgres: TestPostgres;
let dataHome: string;
let late: FaultService;
let early: FaultService;

beforeEach(async () => {
  postgres = await openTestPostgres();
  dataHome = await mkdtemp(join(tmpdir(), 'agent-service-clocks-'));
  late = await startWith(HOUR_MS);
  early = await startWith(-HOUR_MS);
});
afterEach(async () => {
  await Promise.all([late.remove(), early.remove()]);
  await Promise.all([postgres.close(), rm(dataHome, { recursive: true, force: true })]);
});

function startWith(clockErrorMs: number): Promise<FaultService> {
  const config = { database: { url: postgres.url } };
  return startFaultService(config, [], {
    DATA_HOME: dataHome,
    NODE_OPTIONS: `--import ${PRELOAD}`,
    CLOCK_ERROR_MS: String(clockErrorMs),
  });
}

/** Returns a client with the same session at the other process. */
function signedInAt(service: FaultService, client: HttpClient): HttpClient {
  const same = createHttpClient({ request: (path, init) => fetch(`${service.process.url}${path}`, init) });
  for (const [name, value] of client.cookies) same.cookies.set(name, value);
  return same;
}

it('[fault.F27.workers] processes whose clocks are two hours apart agree on sessions, on what is newest and on what is due', async () => {
  const atLate = late.client;
  const atEarly = signedInAt(early, atLate);
  const began = Date.now();
  for (const { model } of [late, early]) model.onRequest(() => answer.text('fine'));
  const threads: string[] = [];
  for (const [client, other] of [
    [atLate, atEarly],
    [atEarly, atLate],
  ] as const) {
    const threadId = await newThread(client);
    threads.unshift(threadId);
    const runs = `/api/graph/threads/${threadId}/runs`;
    const waiting = await jsonOf<TimedRun>(client.post(runs, question('later', { after_seconds: 1 })));
    await (await other.get(`${runs}/${waiting.run_id}/join`)).text();
    const ended = await jsonOf<TimedRun>(other.get(`${runs}/${waiting.run_id}`));
    expect(ended.status).toBe('success');
    for (const time of [waiting.created_at, ended.updated_at]) {
      expect(Date.parse(time)).toBeGreaterThan(began - 1_000);
      expect(Date.parse(time)).toBeLessThan(Date.now() + 1_000);
    }
    expect(Date.parse(ended.updated_at) - Date.parse(waiting.created_at)).toBeGreaterThanOrEqual(900);
  }
  const search = atEarly.post('/api/graph/threads/search', { limit: 2 });
  const listed = await jsonOf<readonly { readonly thread_id: string }[]>(search);
  expect(listed.map(({ thread_id: id }) => id)).toEqual(threads);
});
