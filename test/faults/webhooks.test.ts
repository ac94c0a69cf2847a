// A webhook is called although the process dies before the end of the run, and again between two calls.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { newThread, question } from '../support/service.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { expectSigned, type Receiver, startReceiver } from '../webhooks/receiver.ts';

const PATIENCE = { timeout: 60_000, interval: 50 };

let receiver: Receiver;
let running: ServiceProcess;
let folder: string;
beforeAll(async () => {
  receiver = await startReceiver();
  folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
  const file = join(folder, 'config.yaml');
  const settings = ['webhooks:', `  allow_hosts: ["${receiver.host}"]`, '  retry_seconds: [1, 1]'];
  await writeFile(file, settings.join('\n'));
  running = await startServiceProcess({ env: { CONFIG_FILE: file } });
}, 120_000);
afterAll(async () => {
  await running.remove();
  await receiver.close();
  await rm(folder, { recursive: true });
});

it('[webhook.restart] survives the death of the process, before the end of the run and between calls', {
  timeout: 180_000,
}, async () => {
  const client: HttpClient = createHttpClient({
    request: (path, init) => fetch(`${running.url}${path}`, init),
  });
  await client.register({ email: 'ann@example.com', password: 'correct horse battery' });
  const threadId = await newThread(client);
  receiver.script('/hook', 500, 200);
  const body = question('count to 40', { webhook: `${receiver.url}/hook` });
  const run = await jsonOf<{ run_id: string }>(client.post(`/api/graph/threads/${threadId}/runs`, body));
  const path = `/api/graph/threads/${threadId}/runs/${run.run_id}`;
  await expect
    .poll(async () => (await jsonOf<{ status: string }>(client.get(path))).status, PATIENCE)
    .toBe('running');
  await running.kill();
  expect(receiver.calls).toEqual([]);
  await running.restart();
  await expect.poll(() => receiver.calls.length, PATIENCE).toBe(1);
  await expect
    .poll(
      async () => (await jsonOf<{ webhook: { last_status: number } }>(client.get(path))).webhook.last_status,
      PATIENCE,
    )
    .toBe(500);
  await running.kill();
  await running.restart();
  await expect
    .poll(async () => (await jsonOf<{ webhook: object }>(client.get(path))).webhook, PATIENCE)
    .toMatchObject({ status: 'delivered', attempts: 2 });
  const { secret } = await jsonOf<{ secret: string }>(client.get('/api/v1/auth/webhook-secret'));
  expect(receiver.calls).toHaveLength(2);
  for (const call of receiver.calls) {
    expectSigned(call, secret);
    expect(call.headers['webhook-id']).toBe(run.run_id);
    expect(JSON.parse(call.body)).toMatchObject({ run_id: run.run_id, status: 'success', attempt: 2 });
  }
});
