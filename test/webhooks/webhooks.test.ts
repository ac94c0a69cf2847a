// Webhooks of runs: called with what became of the run, signed, tried again, and never led inside.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDemoModel } from '../../src/models/demo-model.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { expectSigned, type Receiver, startReceiver } from './receiver.ts';

interface RunWithWebhook {
  readonly run_id: string;
  readonly thread_id: string;
  readonly status: string;
  readonly webhook: {
    readonly status: string;
    readonly attempts: number;
    readonly last_status: number | null;
    readonly last_error: string | null;
    readonly next_attempt_at: string | null;
  } | null;
}

const PATIENCE = { timeout: 20_000, interval: 50 };

let receiver: Receiver;
let service: TestService;
let ann: HttpClient;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await openService({ timeout_seconds: 60 });
  ann = await service.user('ann');
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

function openService(options: { readonly timeout_seconds: number }): Promise<TestService> {
  const limits = { retry_seconds: [0.05, 0.3], max_body_kb: 64, at_once: 3, per_user: 2 };
  return openTestService({
    models: [createDemoModel({ delayMs: 0 })],
    config: { webhooks: { allow_hosts: [receiver.host], ...limits, ...options } },
  });
}

async function start(
  client: HttpClient,
  webhook: string,
  fields: Record<string, unknown> = {},
): Promise<RunWithWebhook> {
  const threadId = await newThread(client);
  return jsonOf(
    client.post(`/api/graph/threads/${threadId}/runs`, question('hello', { webhook, ...fields })),
  );
}

const runOf = ({ thread_id, run_id }: RunWithWebhook, client = ann) =>
  jsonOf<RunWithWebhook>(client.get(`/api/graph/threads/${thread_id}/runs/${run_id}`));

/** The report, once the run and its webhook are over. */
async function settled(run: RunWithWebhook, client = ann) {
  await expect.poll(async () => (await runOf(run, client)).webhook?.status, PATIENCE).not.toBe('pending');
  return (await runOf(run, client)).webhook;
}

describe('a webhook', () => {
  it('[webhook.call] [webhook.report] is called once with the run and its values, and the run shows the outcome', async () => {
    const run = await start(ann, `${receiver.url}/success`);
    expect(run.webhook).toEqual({
      status: 'pending',
      attempts: 0,
      last_status: null,
      last_error: null,
      next_attempt_at: null,
    });
    const report = {
      status: 'delivered',
      attempts: 1,
      last_status: 200,
      last_error: null,
      next_attempt_at: null,
    };
    expect(await settled(run)).toEqual(report);
    const listed = await jsonOf<RunWithWebhook[]>(
      ann.get(`/api/graph/threads/${run.thread_id}/runs?limit=5`),
    );
    expect(listed).toMatchObject([{ run_id: run.run_id, webhook: report }]);
    expect(receiver.callsTo('/success')).toHaveLength(1);
    const body = JSON.parse(receiver.callsTo('/success')[0]?.body ?? '');
    expect(body).toMatchObject({
      run_id: run.run_id,
      thread_id: run.thread_id,
      status: 'success',
      stop_reason: 'completed',
      error: null,
      run_started_at: expect.any(String),
      run_ended_at: expect.any(String),
      webhook_sent_at: expect.any(String),
    });
    expect(body.values.messages.map(({ type }: { type: string }) => type)).toEqual(['human', 'ai']);
    const plain = await jsonOf<RunWithWebhook>(
      ann.post(`/api/graph/threads/${run.thread_id}/runs`, question('again')),
    );
    expect(plain.webhook).toBeNull();
  });

  it('[webhook.call] is called for a run that failed, and for one that was cancelled before it began', async () => {
    const failed = await start(ann, `${receiver.url}/failed`, {
      config: { recursion_limit: 1 },
      input: undefined,
      ...question('write a.txt: x'),
    });
    expect((await settled(failed))?.status).toBe('delivered');
    const told = JSON.parse(receiver.callsTo('/failed')[0]?.body ?? '');
    expect(told).toMatchObject({ status: 'error', values: null, error: expect.any(String) });
    const waiting = await start(ann, `${receiver.url}/cancelled`, { after_seconds: 3_600 });
    await ann.post(`/api/graph/threads/${waiting.thread_id}/runs/${waiting.run_id}/cancel`);
    expect((await settled(waiting))?.status).toBe('delivered');
    expect(JSON.parse(receiver.callsTo('/cancelled')[0]?.body ?? '')).toMatchObject({
      status: 'interrupted',
    });
  });

  it('[webhook.call] reports a stateless run whose thread is deleted', async () => {
    const body = question('hello', { webhook: `${receiver.url}/stateless`, on_completion: 'delete' });
    await (await ann.post('/api/graph/runs/wait', body)).text();
    await expect.poll(() => receiver.callsTo('/stateless').length, PATIENCE).toBe(1);
    expect(JSON.parse(receiver.callsTo('/stateless')[0]?.body ?? '').values.messages).toHaveLength(2);
  });

  it('[webhook.signature] is signed with the secret of its user, which no key can read', async () => {
    const secretOf = async (client: HttpClient) =>
      (await jsonOf<{ secret: string }>(client.get('/api/v1/auth/webhook-secret'))).secret;
    const secret = await secretOf(ann);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await secretOf(await service.user('bob'))).not.toBe(secret);
    const run = await start(ann, `${receiver.url}/signed`);
    await settled(run);
    const [call] = receiver.callsTo('/signed');
    if (call === undefined) throw new Error('There was no call.');
    expectSigned(call, secret);
    expect(call.headers['webhook-id']).toBe(run.run_id);
    expect(call.headers['content-type']).toBe('application/json');
    expect(() => expectSigned({ ...call, body: `${call.body} ` }, secret)).toThrow();
  });

  it('[webhook.retries] is called again under the same id with growing pauses, and given up after the last', async () => {
    receiver.script('/late', 503, 500, 204);
    receiver.script('/never', 500);
    receiver.script('/gone', 410);
    const [late, never, gone] = await Promise.all(
      ['late', 'never', 'gone'].map((name) => start(ann, `${receiver.url}/${name}`)),
    );
    if (late === undefined || never === undefined || gone === undefined) throw new Error('There are three.');
    expect(await settled(late)).toMatchObject({ status: 'delivered', attempts: 3, last_status: 204 });
    const calls = receiver.callsTo('/late');
    expect(new Set(calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([late.run_id]));
    expect((calls[2]?.at ?? 0) - (calls[1]?.at ?? 0)).toBeGreaterThanOrEqual(300);
    expect(await settled(never)).toMatchObject({
      status: 'failed',
      attempts: 3,
      last_status: 500,
      last_error: 'bad_status',
      next_attempt_at: null,
    });
    expect(await settled(gone)).toMatchObject({ status: 'failed', attempts: 1, last_status: 410 });
  });

  it('[webhook.refused] follows no redirect, and calls nothing inside, whatever a name leads to', async () => {
    receiver.script('/moved', { location: `${receiver.url}/success?moved` });
    const moved = await start(ann, `${receiver.url}/moved`);
    expect(await settled(moved)).toMatchObject({
      status: 'failed',
      last_status: 302,
      last_error: 'redirected',
    });
    expect(receiver.callsTo('/success?moved')).toEqual([]);
    const port = receiver.host.split(':')[1];
    // A name is looked up when it is called; what is allowed is allowed as it is written.
    const inside = await start(ann, `http://localhost:${port}/inside`);
    expect(await settled(inside)).toMatchObject({
      status: 'failed',
      attempts: 1,
      last_error: 'refused_address',
    });
    expect(receiver.callsTo('/inside')).toEqual([]);
    const threadId = await newThread(ann);
    for (const webhook of [
      'http://127.0.0.1:9/',
      'http://169.254.169.254/latest',
      'http://[::1]/',
      'https://user:secret@example.com/',
      'ftp://example.com/',
      'http://example.com:25/',
      '/loop/back',
      `https://example.com/${'x'.repeat(2_048)}`,
    ]) {
      const refused = await ann.post(`/api/graph/threads/${threadId}/runs`, question('hi', { webhook }));
      expect([webhook, refused.status]).toEqual([webhook, 422]);
    }
    const stateless = await ann.post('/api/graph/runs', question('hi', { webhook: 'http://[::1]/' }));
    expect(stateless.status).toBe(422);
    expect(await jsonOf(ann.get(`/api/graph/threads/${threadId}/runs?limit=9`))).toEqual([]);
  });

  it('[webhook.bounds] leaves out values that are too large', async () => {
    const content = `count to 5 ${'x'.repeat(70_000)}`;
    const run = await start(ann, `${receiver.url}/large`, question(content));
    await settled(run);
    const [call] = receiver.callsTo('/large');
    expect(Buffer.byteLength(call?.body ?? '')).toBeLessThan(65_536);
    expect(JSON.parse(call?.body ?? '')).toMatchObject({
      run_id: run.run_id,
      kwargs: {},
      values: null,
      values_omitted: true,
    });
  });

  it('[webhook.fair] receivers of one user that hang take no place of another user', async () => {
    receiver.script('/hang', 'hang');
    const carl = await service.user('carl');
    for (let n = 0; n < 6; n++) await start(carl, `${receiver.url}/hang`);
    await expect.poll(() => receiver.callsTo('/hang').length, PATIENCE).toBe(2);
    const mine = await start(ann, `${receiver.url}/beside`);
    expect(await settled(mine)).toMatchObject({ status: 'delivered' });
    // They hang for a minute: nobody made room for this call.
    expect(receiver.callsTo('/hang')).toHaveLength(2);
  });

  it('[webhook.bounds] a receiver that hangs is given up when its time is over', async () => {
    receiver.script('/slow', 'hang');
    const hasty = await openService({ timeout_seconds: 0.2 });
    onTestFinished(() => hasty.close());
    const dora = await hasty.user('dora');
    const run = await start(dora, `${receiver.url}/slow`);
    await expect
      .poll(async () => (await runOf(run, dora)).webhook, PATIENCE)
      .toMatchObject({ last_error: 'timeout', last_status: null });
  });
});

it('[webhook.refused] can be switched off: a run that names one is refused', async () => {
  const off = await openTestService({ config: { webhooks: { enabled: false } } });
  try {
    const client = await off.user();
    const threadId = await newThread(client);
    const body = question('hi', { webhook: 'https://example.com/' });
    const refused = await client.post(`/api/graph/threads/${threadId}/runs`, body);
    expect([refused.status, (await refused.text()).includes('webhooks.enabled')]).toEqual([422, true]);
  } finally {
    await off.close();
  }
});
