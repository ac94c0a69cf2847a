// What becomes of runs of schedules that are not simply well: questions, webhooks, accounts that go; and what schedules cost.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openCountedStorage } from '../support/counted-storage.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { TEST_PASSWORD } from '../support/service.ts';
import { expectSigned, type Receiver, startReceiver } from '../webhooks/receiver.ts';
import {
  historyOf,
  MINUTE,
  made,
  openScheduled,
  PATIENCE,
  type ScheduledService,
  START,
  settled,
} from './open-scheduled.ts';

const HOUR = 60 * MINUTE;

let receiver: Receiver;
let test: ScheduledService;
let ann: HttpClient;
beforeAll(async () => {
  receiver = await startReceiver();
  test = await openScheduled({
    config: {
      agent: { approvals: { write_file: 'always' } },
      webhooks: { allow_hosts: [receiver.host], retry_seconds: [0] },
    },
  });
});
afterAll(async () => {
  await test.close();
  await receiver.close();
});
beforeEach(async () => {
  test.clock.now = Date.parse(START);
  test.model.reset();
  test.model.onRequest(() => answer.text('It is green.'));
  ann = await test.person();
});
afterEach(() => test.clear());

it('[schedules.approval] a run that waits for approval says so, and continues in its thread', async () => {
  const write = {
    id: 'c1',
    name: 'write_file',
    args: { path: '/mnt/user-data/workspace/a.md', content: 'x' },
  };
  test.model.enqueue(answer.toolCalls([write]), answer.text('Written'));
  const hourly = await made(ann, { cron: '0 * * * *' });
  test.clock.now += HOUR;
  const [run] = await settled(ann, hourly, 1);
  expect(run).toMatchObject({ status: 'interrupted', reason: 'awaiting_input' });
  const command = { resume: { decisions: [{ type: 'approve' }] } };
  const body = { assistant_id: 'lead_agent', command };
  await (await ann.post(`/api/threads/${run?.thread_id}/runs/wait`, body)).text();
  const state = await jsonOf<StateJson>(ann.get(`/api/threads/${run?.thread_id}/state`));
  expect(state.values.messages.at(-1)?.content).toBe('Written');
  // It does not stand in the way of the next one.
  test.clock.now += HOUR;
  expect(await settled(ann, hourly, 2)).toMatchObject([{ status: 'success' }, { status: 'interrupted' }]);
});

it('[schedules.webhook] [webhook.failed] its webhook is called with the run; calls that failed are listed and made again', async () => {
  const dora = await test.user('dora');
  const hourly = await made(dora, { cron: '0 * * * *', webhook: `${receiver.url}/hook` });
  receiver.script('/hook', 200, 500, 500, 200);
  test.clock.now += HOUR;
  const [first] = await settled(dora, hourly, 1);
  await expect.poll(() => receiver.callsTo('/hook').length, PATIENCE).toBe(1);
  const [call] = receiver.callsTo('/hook');
  const metadata = { schedule_id: hourly.schedule_id, schedule_slot: '2026-11-20T09:00:00.000Z' };
  expect(JSON.parse(call?.body ?? '')).toMatchObject({ run_id: first?.run_id, status: 'success', metadata });
  const { secret } = await jsonOf<{ secret: string }>(dora.get('/api/v1/auth/webhook-secret'));
  if (call !== undefined) expectSigned(call, secret, test.clock.now);
  const failed = async (client = dora) =>
    (await jsonOf<{ webhooks: object[] }>(client.get('/api/webhooks/failed'))).webhooks;
  expect(await failed()).toEqual([]);
  test.clock.now += HOUR;
  const [second] = await settled(dora, hourly, 2);
  const { run_id, thread_id } = second ?? {};
  const told = { run_id, thread_id, url: `${receiver.url}/hook`, attempts: 2 };
  await expect
    .poll(() => failed(), PATIENCE)
    .toMatchObject([{ ...told, last_status: 500, last_error: 'bad_status' }]);
  expect(await failed(ann)).toEqual([]);
  const again = `/api/webhooks/failed/${run_id}/retry`;
  expect((await ann.post(again)).status).toBe(404);
  expect((await dora.post(again)).status).toBe(204);
  expect((await dora.post(again)).status).toBe(404);
  await expect.poll(() => receiver.callsTo('/hook').length, PATIENCE).toBe(4);
  await expect.poll(() => failed(), PATIENCE).toEqual([]);
  await dora.delete(`/api/schedules/${hourly.schedule_id}`);
});

it('[schedules.account] nothing of a deleted account runs', async () => {
  const carl = await test.user('carl');
  await made(carl, { cron: '0 * * * *' });
  const gone = await carl.send('DELETE', '/api/v1/auth/me', {
    body: JSON.stringify({ password: TEST_PASSWORD }),
    headers: { 'content-type': 'application/json' },
  });
  expect(gone.status).toBeLessThan(300);
  test.clock.now += HOUR;
  const anns = await made(ann, { run_at: new Date(test.clock.now + 1).toISOString() });
  test.clock.now += 1;
  await settled(ann, anns, 1);
  expect(test.model.requests).toHaveLength(1);
  expect(await historyOf(ann, anns)).toHaveLength(1);
});

it('[schedules.cheap] a look while nothing is due is one reading statement, and writes nothing', async () => {
  const { storage, transactions } = await openCountedStorage();
  transactions();
  expect(await storage.scheduleFires.work(1)).toEqual({
    hasDue: false,
    hasWaiting: false,
    hasStarted: false,
  });
  expect(transactions()).toEqual([]);
  await storage.close();
});
