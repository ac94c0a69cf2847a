// Two services on one database, in one process (fault.F41).

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { ownTime } from '../support/own-time.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';

let dataHome: string;
let postgres: TestPostgres;
let owner: TestService;
let other: TestService;
let client: HttpClient;
let elsewhere: HttpClient;
beforeEach(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  postgres = await openTestPostgres();
  // Renewals are too rare to deliver anything during a test.
  const config = {
    database: { url: postgres.url },
    runs: { lease_ms: 600_000, lease_renewal_ms: 300_000 },
  };
  owner = await openTestService({ dataHome, config });
  other = await openTestService({ dataHome, config });
  client = await owner.user();
  elsewhere = createHttpClient(other.service.app);
  for (const [name, value] of client.cookies) elsewhere.cookies.set(name, value);
});
afterEach(async () => {
  await Promise.all([other.close(), owner.close()]);
  await Promise.all([postgres.close(), rm(dataHome, { recursive: true, force: true })]);
});

/** Starts a run that the owner executes and that hangs. */
async function hangingRun(): Promise<string> {
  const path = `/api/graph/threads/${await newThread(client)}/runs`;
  owner.model.enqueue(answer.hangMidStream('half an answer'));
  const body = question('hi', { stream_mode: ['messages-tuple'] });
  let runId = '';
  for await (const { event, data } of framesOf(await client.post(`${path}/stream`, body))) {
    if (event === 'metadata') runId = (data as RunJson).run_id;
    if (event === 'messages') break;
  }
  return `${path}/${runId}`;
}

it('[fault.F41] [runs.cancel.quick] a run is cancelled within a second by a process that does not execute it', async () => {
  const runs: string[] = [];
  for (let n = 0; n < 12; n++) runs.push(await hangingRun());
  // One after the other: both services share this process, so twelve at once would measure its CPU time.
  for (const run of runs) {
    const took = ownTime();
    const cancelled = await elsewhere.post(`${run}/cancel?wait=1`);
    expect(took()).toBeLessThan(1_000);
    expect(cancelled.status).toBe(204);
  }
  for (const run of runs)
    expect(await jsonOf<RunJson>(client.get(run))).toMatchObject({
      status: 'interrupted',
      stop_reason: 'interrupted_by_user',
    });
});
