// When schedules run: changes of the clock, times that nobody was there for, and many at once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, question } from '../support/service.ts';
import {
  historyOf,
  MINUTE,
  made,
  openScheduled,
  PATIENCE,
  type ScheduledService,
  type ScheduleJson,
  START,
  schedule,
  settled,
  shown,
} from './open-scheduled.ts';

const HOUR = 60 * MINUTE;

let test: ScheduledService;
let ann: HttpClient;
beforeAll(async () => {
  test = await openScheduled({
    config: { schedules: { at_once: 3, per_user: 2, min_interval_seconds: 600 } },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.clock.now = Date.parse(START);
  test.model.reset();
  test.model.onRequest(() => answer.text('It is green.'));
  ann = await test.person();
});
afterEach(() => test.clear());

const short = (time: string | null) => time?.replace(':00.000+00:00', '');
const slotsOf = async (of: ScheduleJson) =>
  (await historyOf(ann, of)).map(({ slot }) => short(slot)).toReversed();

describe('[schedules.zones] a change of the clock', () => {
  const mine = async () => (await jsonOf<{ schedules: ScheduleJson[] }>(ann.get('/api/schedules'))).schedules;
  const isOpen = ({ next_run_at, last_run }: ScheduleJson) =>
    Date.parse(next_run_at ?? '') <= test.clock.now ||
    ['waiting', 'pending', 'running'].includes(last_run?.status ?? '');
  /** The slots of some patterns from a moment on, each of which ran once when its time had come. */
  const ran = async (
    from: string,
    timezone: string,
    patterns: Readonly<Record<string, readonly string[]>>,
  ) => {
    test.clock.now = Date.parse(`${from}:00Z`);
    const names = Object.keys(patterns);
    const all: ScheduleJson[] = [];
    for (const cron of names) all.push(await made(ann, { cron, timezone }));
    const last = Math.max(
      ...Object.values(patterns)
        .flat()
        .map((slot) => Date.parse(`${slot}:00Z`)),
    );
    for (;;) {
      const next = Math.min(...(await mine()).map(({ next_run_at }) => Date.parse(next_run_at ?? '')));
      if (next > last) break;
      test.clock.now = next;
      await expect.poll(async () => (await mine()).some(isOpen), PATIENCE).toBe(false);
    }
    const entries = await Promise.all(all.map(async (it, n) => [names[n], await slotsOf(it)]));
    expect(Object.fromEntries(entries)).toEqual(patterns);
  };

  it('forward runs what does not exist at the first moment that does', () =>
    ran('2027-03-27T22:00', 'Europe/Berlin', {
      '30 2 * * *': ['2027-03-28T01:00', '2027-03-29T00:30'],
      '0 3 * * *': ['2027-03-28T01:00', '2027-03-29T01:00'],
      '15,45 1-3 28 3 *': [
        '2027-03-28T00:15',
        '2027-03-28T00:45',
        // Both of the hour that does not exist are one moment.
        '2027-03-28T01:00',
        '2027-03-28T01:15',
        '2027-03-28T01:45',
      ],
      '0 */6 28 * *': ['2027-03-27T23:00', '2027-03-28T04:00', '2027-03-28T10:00', '2027-03-28T16:00'],
    }));

  it('back runs a time that comes twice once, and every half hour each half hour', () =>
    ran('2026-10-24T22:00', 'Europe/Berlin', {
      '30 2 * * *': ['2026-10-25T00:30', '2026-10-26T01:30'],
      '0 2,4 25 10 *': ['2026-10-25T00:00', '2026-10-25T03:00'],
      '*/30 1-3 25 10 *': [
        '2026-10-24T23:00',
        '2026-10-24T23:30',
        '2026-10-25T00:00',
        '2026-10-25T00:30',
        '2026-10-25T01:00',
        '2026-10-25T01:30',
        '2026-10-25T02:00',
        '2026-10-25T02:30',
      ],
    }));

  it('of half an hour, and where midnight does not exist', async () => {
    await ran('2026-10-03T12:00', 'Australia/Lord_Howe', {
      '15 2 * * *': ['2026-10-03T15:30', '2026-10-04T15:15'],
    });
    await test.clear();
    ann = await test.person();
    await ran('2027-04-28T12:00', 'Africa/Cairo', {
      '0 0 * * *': ['2027-04-28T22:00', '2027-04-29T22:00', '2027-04-30T21:00'],
    });
  });
});

describe('times that passed while nobody looked', () => {
  it('[schedules.missed] are made up for by one run', async () => {
    const hourly = await made(ann, { cron: '0 * * * *' });
    test.clock.now += 5.5 * HOUR;
    const [run] = await settled(ann, hourly, 1);
    expect(run).toMatchObject({ slot: '2026-11-20T09:00:00.000+00:00', status: 'success' });
    expect((await shown(ann, hourly)).next_run_at).toBe('2026-11-20T14:00:00.000+00:00');
    const once = await made(ann, { run_at: '2026-11-20T14:00:00Z' });
    test.clock.now += 48 * HOUR;
    expect(await settled(ann, once, 1)).toMatchObject([{ status: 'success' }]);
  });

  it('[schedules.missed] or left out, but for one of less than a minute ago', async () => {
    const hourly = await made(ann, { cron: '0 * * * *', missed: 'skip' });
    test.clock.now += 5 * HOUR + 59_000;
    expect(await settled(ann, hourly, 2)).toMatchObject([
      { slot: '2026-11-20T13:00:00.000+00:00', status: 'success' },
      { slot: '2026-11-20T09:00:00.000+00:00', status: 'skipped', reason: 'missed', run_id: null },
    ]);
    const once = await made(ann, { run_at: '2026-11-20T13:30:00Z', missed: 'skip' });
    test.clock.now += HOUR;
    await settled(ann, hourly, 3);
    expect(await settled(ann, once, 1)).toMatchObject([{ status: 'skipped', reason: 'missed' }]);
    expect(await shown(ann, once)).toMatchObject({ status: 'finished', last_run: null });
    expect(test.model.requests).toHaveLength(2);
  });
});

it('[schedules.bad] a schedule that would run too often is refused', async () => {
  const refused = async (cron: string) => {
    const refusal = await ann.post('/api/schedules', schedule({ cron }));
    expect([cron, refusal.status]).toEqual([cron, 422]);
    expect(await refusal.text()).toContain('schedules.min_interval_seconds');
  };
  for (const cron of ['* * * * *', '*/5 * * * *', '0,59 * * * *', '58,0 23,0 * * *']) await refused(cron);
  for (const cron of ['*/10 * * * *', '0,50 * * * *']) await made(ann, { cron });
});

it('[schedules.fair] many schedules leave places for others, and for runs on request', async () => {
  const gate = Promise.withResolvers<void>();
  test.model.onRequest(async ({ lastUserText }) => {
    if (lastUserText === 'now') return answer.text('At once');
    await gate.promise;
    return answer.text('It is green.');
  });
  const bob = await test.person();
  const anns: ScheduleJson[] = [];
  for (let n = 0; n < 5; n += 1) anns.push(await made(ann, { cron: '0 * * * *' }));
  const bobs = await made(bob, { cron: '0 * * * *' });
  test.clock.now += HOUR;
  await test.model.requested(3);
  const states = async () => {
    const { schedules } = await jsonOf<{ schedules: ScheduleJson[] }>(ann.get('/api/schedules'));
    return schedules.map(({ last_run }) => last_run?.status).toSorted();
  };
  await expect.poll(states, PATIENCE).toEqual(['running', 'running', 'waiting', 'waiting', 'waiting']);
  expect(await historyOf(bob, bobs)).toMatchObject([{ status: 'running' }]);
  const threadId = await newThread(ann);
  const said = await ann.post(`/api/threads/${threadId}/runs/wait`, question('now'));
  expect(await said.text()).toContain('At once');
  expect(test.model.requests).toHaveLength(4);
  gate.resolve();
  for (const it of anns) expect(await settled(ann, it, 1)).toMatchObject([{ status: 'success' }]);
});

it('[schedules.off] nothing runs when schedules are off, and they can be read and deleted', async () => {
  const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  const database = { url: `sqlite:${join(dataHome, 'service.db')}` };
  const on = await openScheduled({ dataHome, config: { database } });
  const hourly = await made(await on.person('carl'), { cron: '0 * * * *' });
  await on.close();
  const config = { database, schedules: { enabled: false } };
  const off = await openScheduled({ dataHome, config, at: '2026-11-20T10:00:00Z' });
  const carl = await off.person('carl');
  expect(await shown(carl, hourly)).toMatchObject({ next_run_at: '2026-11-20T09:00:00.000+00:00' });
  expect((await carl.post('/api/schedules', schedule({ cron: '0 * * * *' }))).status).toBe(409);
  expect((await carl.post(`/api/schedules/${hourly.schedule_id}/run`)).status).toBe(409);
  expect(await historyOf(carl, hourly)).toEqual([]);
  expect((await carl.delete(`/api/schedules/${hourly.schedule_id}`)).status).toBe(204);
  await off.close();
  await rm(dataHome, { recursive: true, force: true });
});
