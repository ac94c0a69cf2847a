// Two services on one database, in one process (reliability F41).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';

let dataHome: string;
let owner: TestService;
let other: TestService;
beforeEach(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  const config = { runs: { lease_renewal_ms: 50 } };
  owner = await openTestService({ dataHome, config });
  other = await openTestService({ dataHome, config, overrides: { storage: owner.service.storage } });
});
afterEach(async () => {
  await other.service.drain(0);
  await other.model.close();
  await owner.close();
  await rm(dataHome, { recursive: true, force: true });
});

it('[fault.F41] a run is cancelled by a process that does not execute it', async () => {
  const client = await owner.user();
  const elsewhere = createHttpClient(other.service.app);
  for (const [name, value] of client.cookies) elsewhere.cookies.set(name, value);
  const threadId = await newThread(client);
  const path = `/api/graph/threads/${threadId}/runs`;
  owner.model.enqueue(answer.hangMidStream('half an answer'));
  const body = question('hi', { stream_mode: ['messages-tuple'] });
  let runId = '';
  for await (const { event, data } of framesOf(await client.post(`${path}/stream`, body))) {
    if (event === 'metadata') runId = (data as RunJson).run_id;
    if (event !== 'messages' || runId === '') continue;
    expect((await elsewhere.post(`${path}/${runId}/cancel?wait=1`)).status).toBe(204);
    break;
  }
  expect(await jsonOf<RunJson>(client.get(`${path}/${runId}`))).toMatchObject({
    status: 'interrupted',
    stop_reason: 'interrupted_by_user',
  });
});
