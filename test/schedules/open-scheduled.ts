// A service whose clock the test owns, and what tests do with schedules.
import { expect } from 'vitest';
import { makeKey, withKey } from '../support/api-key.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, type TestService, type TestServiceOptions } from '../support/service.ts';

export interface ScheduleJson {
  readonly schedule_id: string;
  readonly name: string;
  readonly status: string;
  readonly paused_because: string | null;
  readonly next_run_at: string | null;
  readonly last_run: ScheduleRunJson | null;
}

export interface ScheduleRunJson {
  readonly slot: string;
  readonly trigger: string;
  readonly status: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly run_id: string;
  readonly thread_id: string;
}

export interface ScheduledService extends TestService {
  /** Epoch milliseconds. */
  readonly clock: { now: number };
  /** A client whose credentials outlive every jump of the clock. */
  person(name?: string): Promise<HttpClient>;
  /** The schedules of all of them are gone: nothing is due in the next test. */
  clear(): Promise<void>;
}

export const MINUTE = 60_000;
export const PATIENCE = { timeout: 15_000, interval: 20 };
/** A Friday. */
export const START = '2026-11-20T08:00:00.000Z';

export async function openScheduled(
  options: Omit<TestServiceOptions, 'overrides'> & { readonly at?: string } = {},
): Promise<ScheduledService> {
  const clock = { now: Date.parse(options.at ?? START) };
  const { config = {} } = options;
  const people: HttpClient[] = [];
  const schedules = { check_seconds: 0.05, ...(config.schedules as object | undefined) };
  const test = await openTestService({
    ...options,
    config: { ...config, schedules },
    overrides: { now: () => clock.now },
  });
  return {
    ...test,
    clock,
    async person(name) {
      const { key } = await makeKey(await test.user(name), { expires_at: null });
      const client = withKey(test.service.app, key);
      people.push(client);
      return client;
    },
    async clear() {
      for (const client of people.splice(0)) {
        const { schedules: left } = await jsonOf<{ schedules: ScheduleJson[] }>(client.get('/api/schedules'));
        for (const { schedule_id: id } of left) await client.delete(`/api/schedules/${id}`);
      }
    },
  };
}

export function schedule(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'Tea', prompt: 'How is the tea?', ...fields };
}

export async function made(client: HttpClient, fields: Record<string, unknown>): Promise<ScheduleJson> {
  const answer = await client.post('/api/schedules', schedule(fields));
  expect(answer.status).toBe(201);
  return jsonOf(answer);
}

export const shown = (client: HttpClient, { schedule_id: id }: ScheduleJson) =>
  jsonOf<ScheduleJson>(client.get(`/api/schedules/${id}`));

export async function historyOf(
  client: HttpClient,
  { schedule_id: id }: ScheduleJson,
): Promise<readonly ScheduleRunJson[]> {
  return (await jsonOf<{ runs: ScheduleRunJson[] }>(client.get(`/api/schedules/${id}/runs`))).runs;
}

/** The history, once it has so many entries of which none is still to end. */
export async function settled(
  client: HttpClient,
  of: ScheduleJson,
  entries: number,
): Promise<readonly ScheduleRunJson[]> {
  const openOnes = ['waiting', 'pending', 'running'];
  await expect
    .poll(async () => {
      const history = await historyOf(client, of);
      return [history.length, history.filter(({ status }) => openOnes.includes(status)).length];
    }, PATIENCE)
    .toEqual([entries, 0]);
  return historyOf(client, of);
}
