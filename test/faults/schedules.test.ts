// A slot starts one run, wherever the process dies between the time and the run.
import { expect, it, onTestFinished } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { startModelServer } from '../support/model-server.ts';
import { startCrashingProcess } from './crashing-process.ts';
import { createStubbornClient } from './stubborn-client.ts';

const POINTS = ['schedule.decide.after', 'schedule.claim.after', 'thread.create.after', 'admit.after'];
const PATIENCE = { timeout: 60_000, interval: 50 };

interface Schedule {
  readonly schedule_id: string;
  readonly next_run_at: string | null;
}

const runsOf = async (client: HttpClient, { schedule_id: id }: Schedule) =>
  (
    await jsonOf<{ runs: { status: string; run_id: string }[] }>(client.get(`/api/schedules/${id}/runs`))
  ).runs.map(({ status }) => status);

it('[schedules.killed] and however often', { timeout: 240_000 }, async () => {
  const model = await startModelServer();
  const config = { schedules: { check_seconds: 0.1 } };
  const service = await startCrashingProcess({ modelUrl: model.url, config });
  onTestFinished(async () => {
    await service.remove();
    await model.close();
  });
  model.onRequest(() => answer.text('It is green.'));
  const { http } = await createStubbornClient(service);
  for (const [index, point] of POINTS.entries()) {
    await service.up();
    const run_at = new Date(Date.now() + 700).toISOString();
    const body = { name: point, prompt: `at ${point}`, run_at };
    const made = await jsonOf<Schedule>(http.post('/api/schedules', body));
    service.arm({ point, occurrence: 1 });
    await service.died(index + 1);
    await service.up();
    await expect.poll(() => runsOf(http, made), PATIENCE).toEqual(['success']);
    expect([point, model.requests.filter(({ lastUserText }) => lastUserText === `at ${point}`)]).toEqual([
      point,
      [expect.anything()],
    ]);
    const found = { metadata: { schedule_id: made.schedule_id } };
    expect(await jsonOf<object[]>(http.post('/api/threads/search', found))).toHaveLength(1);
  }
});
