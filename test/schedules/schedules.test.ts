// Schedules through HTTP: what people make of them, and what runs at which time.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread } from '../support/service.ts';
import {
  historyOf,
  MINUTE,
  made,
  openScheduled,
  PATIENCE,
  type ScheduledService,
  type ScheduleJson,
  type ScheduleRunJson,
  START,
  schedule,
  settled,
  shown,
} from './open-scheduled.ts';

const HOUR = 60 * MINUTE;

let test: ScheduledService;
let ann: HttpClient;
beforeAll(async () => {
  test = await openScheduled({ config: { schedules: { max_per_user: 3 } } });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.clock.now = Date.parse(START);
  test.model.reset();
  test.model.onRequest(() => answer.text('It is green.'));
  ann = await test.person();
});

afterEach(() => test.clear());

const at = (iso: string) => Date.parse(iso);
const iso = (time: number) => new Date(time).toISOString().replace('Z', '+00:00');
const post = (path: string, client = ann) => client.post(path);
const pathOf = ({ schedule_id: id }: ScheduleJson) => `/api/schedules/${id}`;

describe('a schedule', () => {
  it('[schedules.crud] is made, read, changed and deleted, and says when it runs next', async () => {
    const morning = await made(ann, { cron: '0 9  * * 1-5', timezone: 'Europe/Berlin' });
    expect(morning).toMatchObject({
      name: 'Tea',
      prompt: 'How is the tea?',
      assistant_id: 'lead_agent',
      model: null,
      cron: '0 9 * * 1-5',
      run_at: null,
      timezone: 'Europe/Berlin',
      thread_id: null,
      missed: 'run_once',
      webhook: null,
      status: 'active',
      paused_because: null,
      // Friday, nine o'clock in Berlin, is now: the next one is Monday.
      next_run_at: '2026-11-23T08:00:00.000+00:00',
      last_run: null,
    });
    expect(await shown(ann, morning)).toEqual(morning);
    const later = await jsonOf(ann.patch(pathOf(morning), { cron: '30 9 * * 1-5', model: 'scripted' }));
    expect(later).toMatchObject({ next_run_at: '2026-11-20T08:30:00.000+00:00', model: 'scripted' });
    const run_at = '2026-11-20T12:00:00+02:00';
    const once = await jsonOf(ann.patch(pathOf(morning), { run_at, model: null }));
    expect(once).toMatchObject({ cron: null, next_run_at: iso(at(run_at)), model: null, name: 'Tea' });
    expect(await jsonOf(ann.get('/api/schedules'))).toEqual({ schedules: [once] });
    expect((await ann.delete(pathOf(morning))).status).toBe(204);
    expect((await ann.delete(pathOf(morning))).status).toBe(404);
    expect(await jsonOf(ann.get('/api/schedules'))).toEqual({ schedules: [] });
  });

  it('[schedules.bad] says what is wrong with a time', async () => {
    const refused = async (fields: Record<string, unknown>) => {
      const refusal = await ann.post('/api/schedules', schedule(fields));
      expect([fields, refusal.status]).toEqual([fields, 422]);
      return JSON.stringify(await refusal.json());
    };
    expect(await refused({})).toContain('Say when');
    expect(await refused({ cron: '* * * * * *' })).toContain('Expected five fields');
    expect(await refused({ cron: '61 * * * *' })).toContain('not valid');
    expect(await refused({ cron: '@daily' })).toContain('Expected five fields');
    expect(await refused({ cron: '2027-01-01T00:00:00' })).toContain('Expected five fields');
    expect(await refused({ cron: '0 0 30 2 *' })).toContain('no such time in the next 10 years');
    expect(await refused({ cron: '0 9 * * *', timezone: 'Mars/Olympus' })).toContain('Europe/Berlin');
    expect(await refused({ cron: '0 9 * * *', timezone: '+02:00' })).toContain('Europe/Berlin');
    expect(await refused({ run_at: '2026-11-20T07:59:59Z' })).toContain('has passed');
    expect(await refused({ run_at: '9999-12-31T00:00:00Z' })).toContain('10 years');
    expect(await refused({ run_at: '2027-01-01T00:00:00Z', cron: '0 9 * * *' })).toContain('either');
    expect(await refused({ cron: '0 9 * * *', prompt: ' ' })).toContain('Say something');
    expect(await refused({ cron: '0 9 * * *', prompt: 'x'.repeat(20_001) })).toContain('20000');
    expect(await refused({ cron: '0 9 * * *', model: 'gpt-0' })).toContain('Choose from scripted');
    expect(await refused({ cron: '0 9 * * *', webhook: 'http://127.0.0.1/x' })).toContain('public');
    const named = async (fields: object) =>
      (await ann.post('/api/schedules', schedule({ cron: '0 9 * * *', ...fields }))).status;
    expect(await named({ thread_id: 'absent' })).toBe(404);
    expect(await named({ assistant_id: 'absent' })).toBe(404);
    const real = await made(ann, { cron: '0 9 * * *' });
    expect((await ann.patch(pathOf(real), {})).status).toBe(422);
    expect((await ann.patch(pathOf(real), { cron: null })).status).toBe(422);
    expect((await ann.patch(pathOf(real), { cron: '0 0 31 2 *' })).status).toBe(422);
  });

  it('[schedules.limit] a person has so many', async () => {
    for (let n = 0; n < 3; n += 1) await made(ann, { cron: '0 9 * * *' });
    const fourth = await ann.post('/api/schedules', schedule({ cron: '0 9 * * *' }));
    expect(fourth.status).toBe(409);
    expect(await detailOf(fourth)).toContain('schedules.max_per_user');
    await made(await test.person(), { cron: '0 9 * * *' });
  });

  it('[schedules.own] is absent for everybody else', async () => {
    const anns = await made(ann, { cron: '0 9 * * *' });
    const bob = await test.person();
    expect(await jsonOf(bob.get('/api/schedules'))).toEqual({ schedules: [] });
    for (const path of ['/pause', '/resume', '/run'])
      expect((await post(pathOf(anns) + path, bob)).status).toBe(404);
    expect((await bob.get(pathOf(anns))).status).toBe(404);
    expect((await bob.get(`${pathOf(anns)}/runs`)).status).toBe(404);
    expect((await bob.patch(pathOf(anns), { name: 'mine' })).status).toBe(404);
    expect((await bob.delete(pathOf(anns))).status).toBe(404);
    expect(await shown(ann, anns)).toEqual(anns);
  });
});

describe('a slot', () => {
  it('[schedules.fires] [schedules.history] becomes a run on a new thread, once', async () => {
    const hourly = await made(ann, { cron: '0 * * * *' });
    test.clock.now = at('2026-11-20T09:00:00Z');
    const [first] = await settled(ann, hourly, 1);
    expect(first).toMatchObject({
      slot: '2026-11-20T09:00:00.000+00:00',
      trigger: 'time',
      status: 'success',
      reason: 'completed',
    });
    test.clock.now += HOUR;
    const history = await settled(ann, hourly, 2);
    expect(history.map(({ slot }) => slot)).toEqual([
      '2026-11-20T10:00:00.000+00:00',
      '2026-11-20T09:00:00.000+00:00',
    ]);
    const [second] = history;
    expect(second?.thread_id).not.toBe(first?.thread_id);
    const state = await jsonOf<{ values: { messages: { content: string }[] } }>(
      ann.get(`/api/threads/${first?.thread_id}/state`),
    );
    expect(state.values.messages.map(({ content }) => content)).toEqual(['How is the tea?', 'It is green.']);
    const found = { metadata: { schedule_id: hourly.schedule_id } };
    expect(await jsonOf<object[]>(ann.post('/api/threads/search', found))).toHaveLength(2);
    const page = await jsonOf<{ runs: ScheduleRunJson[]; next_before: string }>(
      ann.get(`${pathOf(hourly)}/runs?limit=1`),
    );
    expect(page).toEqual({ runs: [second], has_more: true, next_before: second?.slot });
    const before = encodeURIComponent(page.next_before);
    expect(await jsonOf(ann.get(`${pathOf(hourly)}/runs?limit=1&before=${before}`))).toMatchObject({
      runs: [first],
      has_more: false,
      next_before: null,
    });
    expect(await shown(ann, hourly)).toMatchObject({
      next_run_at: '2026-11-20T11:00:00.000+00:00',
      last_run: second,
    });
    expect(test.model.requests).toHaveLength(2);
  });

  it('[schedules.fires] becomes a run of the named agent on the named thread, after its messages', async () => {
    await ann.post('/api/agents', { name: 'tea-master', soul: 'You love tea.' });
    const thread_id = await newThread(ann);
    const daily = await made(ann, { cron: '0 9 * * *', thread_id, assistant_id: 'tea-master' });
    for (let day = 0; day < 2; day += 1) {
      test.clock.now += 24 * HOUR;
      await settled(ann, daily, day + 1);
    }
    const state = await jsonOf<{ values: { messages: object[] } }>(
      ann.get(`/api/threads/${thread_id}/state`),
    );
    expect(state.values.messages).toHaveLength(4);
    expect(JSON.stringify(test.model.requests.at(-1)?.body)).toContain('You love tea.');
  });

  it('[schedules.once] is the last one where there is one time only', async () => {
    const once = await made(ann, { run_at: '2026-11-20T08:30:00Z' });
    test.clock.now += 30 * MINUTE;
    await settled(ann, once, 1);
    expect(await shown(ann, once)).toMatchObject({ status: 'finished', next_run_at: null });
    test.clock.now += 365 * 24 * HOUR;
    await expectNothingDue();
    expect(await historyOf(ann, once)).toHaveLength(1);
    const again = await jsonOf(ann.patch(pathOf(once), { run_at: '2028-01-01T00:00:00Z' }));
    expect(again).toMatchObject({ status: 'active' });
  });

  it('[schedules.overlap] is skipped while the run before it has not ended', async () => {
    const gate = Promise.withResolvers<void>();
    test.model.enqueue(answer.script(step.text('It'), step.until(gate.promise), step.text(' is')));
    const hourly = await made(ann, { cron: '0 * * * *' });
    test.clock.now += HOUR;
    await test.model.requested(1);
    test.clock.now += HOUR;
    await expect.poll(async () => (await historyOf(ann, hourly)).length, PATIENCE).toBe(2);
    expect(await historyOf(ann, hourly)).toMatchObject([
      { status: 'skipped', reason: 'still_running', run_id: null },
      { status: 'running' },
    ]);
    expect(await shown(ann, hourly)).toMatchObject({ last_run: { status: 'running' } });
    expect((await post(`${pathOf(hourly)}/run`)).status).toBe(409);
    gate.resolve();
    await settled(ann, hourly, 2);
    test.clock.now += HOUR;
    expect(await settled(ann, hourly, 3)).toMatchObject([{ status: 'success' }, {}, {}]);
  });

  it('[schedules.clock] does not run again when the clock is set back', async () => {
    const hourly = await made(ann, { cron: '0 * * * *' });
    test.clock.now += HOUR;
    await settled(ann, hourly, 1);
    test.clock.now -= HOUR / 2;
    await post(`${pathOf(hourly)}/pause`);
    const resumed = await jsonOf<ScheduleJson>(post(`${pathOf(hourly)}/resume`));
    expect(resumed.next_run_at).toBe('2026-11-20T09:00:00.000+00:00');
    test.clock.now += HOUR / 2;
    await expect
      .poll(async () => (await shown(ann, hourly)).next_run_at, PATIENCE)
      .toBe('2026-11-20T10:00:00.000+00:00');
    expect(await settled(ann, hourly, 1)).toHaveLength(1);
    expect(test.model.requests).toHaveLength(1);
  });

  it('[schedules.pause] passes while the schedule is paused', async () => {
    const hourly = await made(ann, { cron: '0 * * * *' });
    const paused = await jsonOf(post(`${pathOf(hourly)}/pause`));
    expect(paused).toMatchObject({ status: 'paused', paused_because: 'person', next_run_at: null });
    test.clock.now += 5 * HOUR;
    await expectNothingDue();
    const resumed = await jsonOf(post(`${pathOf(hourly)}/resume`));
    expect(resumed).toMatchObject({ status: 'active', next_run_at: '2026-11-20T14:00:00.000+00:00' });
    expect(await historyOf(ann, hourly)).toEqual([]);
  });
});

describe('a run now', () => {
  it('[schedules.now] is beside the slots, of a paused schedule, too', async () => {
    const daily = await made(ann, { cron: '0 9 * * *' });
    await post(`${pathOf(daily)}/pause`);
    const started = await post(`${pathOf(daily)}/run`);
    expect(started.status).toBe(201);
    const run = await jsonOf<ScheduleRunJson>(started);
    expect(run).toMatchObject({ trigger: 'manual', slot: iso(at(START)) });
    const [ended] = await settled(ann, daily, 1);
    expect(ended).toMatchObject({ run_id: run.run_id, status: 'success' });
    const again = await jsonOf<ScheduleRunJson>(post(`${pathOf(daily)}/run`));
    expect(again.slot).toBe(iso(at(START) + 1));
    await settled(ann, daily, 2);
    expect(await shown(ann, daily)).toMatchObject({ status: 'paused', next_run_at: null });
  });
});

describe('what a schedule needs', () => {
  it('[schedules.gone] a deleted thread pauses it immediately; resumed, each run gets a new one', async () => {
    const thread_id = await newThread(ann);
    const hourly = await made(ann, { cron: '0 * * * *', thread_id });
    test.clock.now += HOUR;
    await settled(ann, hourly, 1);
    await ann.delete(`/api/threads/${thread_id}`);
    const gone = { status: 'paused', paused_because: 'thread_deleted', next_run_at: null, thread_id: null };
    expect(await shown(ann, hourly)).toMatchObject(gone);
    expect(await historyOf(ann, hourly)).toMatchObject([
      { status: 'success', reason: 'completed', run_id: null, thread_id: null },
    ]);
    test.clock.now += 2 * HOUR;
    await expectNothingDue();
    expect(await jsonOf(post(`${pathOf(hourly)}/resume`))).toMatchObject({ status: 'active' });
    test.clock.now += HOUR;
    const [run] = await settled(ann, hourly, 2);
    expect(run).toMatchObject({ status: 'success', thread_id: expect.any(String) });
  });

  it('[schedules.gone] an agent that is missing pauses it, and leaves no empty thread', async () => {
    await ann.post('/api/agents', { name: 'tea-master' });
    const hourly = await made(ann, { cron: '0 * * * *', assistant_id: 'tea-master' });
    await ann.delete('/api/agents/tea-master');
    test.clock.now += HOUR;
    const [refused] = await settled(ann, hourly, 1);
    expect(refused).toMatchObject({ status: 'refused', reason: 'agent_missing', run_id: null });
    expect(await shown(ann, hourly)).toMatchObject({ status: 'paused', paused_because: 'agent_missing' });
    expect(await jsonOf(ann.post('/api/threads/search', {}))).toEqual([]);
  });
});

/** Whatever was due before this has been decided when a schedule of now has run. */
async function expectNothingDue(): Promise<void> {
  const requests = test.model.requests.length;
  const carl = await test.person();
  const soon = await made(carl, { run_at: new Date(test.clock.now + 1).toISOString() });
  test.clock.now += 1;
  await settled(carl, soon, 1);
  expect(test.model.requests).toHaveLength(requests + 1);
}
