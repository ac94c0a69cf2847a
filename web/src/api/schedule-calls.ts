// The calls about schedules, which start the agent at set times.
import * as z from 'zod/mini';
import { type Call, read } from './call.ts';

const runSchema = z.object({
  /** The planned time. */
  slot: z.string(),
  trigger: z.enum(['time', 'manual']),
  status: z.string(),
  reason: z.nullable(z.string()),
  detail: z.nullable(z.string()),
  thread_id: z.nullable(z.string()),
  ended_at: z.nullable(z.string()),
});
/** The outcome of one slot of a schedule. */
export type ScheduleRun = z.infer<typeof runSchema>;

const DEFINITION = {
  name: z.string(),
  prompt: z.string(),
  assistant_id: z.string(),
  model: z.nullable(z.string()),
  /** Set unless `run_at` is. */
  cron: z.nullable(z.string()),
  run_at: z.nullable(z.string()),
  timezone: z.string(),
  /** Null when each run gets a new chat. */
  thread_id: z.nullable(z.string()),
  missed: z.enum(['skip', 'run_once']),
  webhook: z.nullable(z.string()),
};
const definitionSchema = z.object(DEFINITION);
export type ScheduleDefinition = z.infer<typeof definitionSchema>;
const scheduleSchema = z.object({
  ...DEFINITION,
  schedule_id: z.string(),
  status: z.enum(['active', 'paused', 'finished']),
  paused_because: z.nullable(z.string()),
  next_run_at: z.nullable(z.string()),
  last_run: z.nullable(runSchema),
});
export type Schedule = z.infer<typeof scheduleSchema>;
const pageSchema = z.object({ runs: z.array(runSchema), next_before: z.nullable(z.string()) });
export type ScheduleRunPage = z.infer<typeof pageSchema>;

const COLLECTION = '/api/schedules';

export function createScheduleCalls(call: Call) {
  const member = (id: string, part = '') => `${COLLECTION}/${encodeURIComponent(id)}${part}`;
  return {
    /** Oldest first. */
    schedules: async (): Promise<readonly Schedule[]> =>
      (await read(await call('GET', COLLECTION), z.object({ schedules: z.array(scheduleSchema) }))).schedules,
    createSchedule: (definition: ScheduleDefinition) => call('POST', COLLECTION, definition),
    /** A new time replaces the previous one. */
    changeSchedule: (id: string, definition: Partial<ScheduleDefinition>) =>
      call('PATCH', member(id), definition),
    deleteSchedule: (id: string) => call('DELETE', member(id)),
    pauseSchedule: (id: string) => call('POST', member(id, '/pause')),
    resumeSchedule: (id: string) => call('POST', member(id, '/resume')),
    runSchedule: (id: string) => call('POST', member(id, '/run')),
    /** Newest first. */
    scheduleRuns: async (id: string, before: string | undefined): Promise<ScheduleRunPage> => {
      const query = before === undefined ? '' : `?${new URLSearchParams({ before })}`;
      return read(await call('GET', member(id, `/runs${query}`)), pageSchema);
    },
  };
}
