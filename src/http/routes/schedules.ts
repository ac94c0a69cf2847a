// The user's schedules: tasks for the agent at set times, and their outcomes.
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import { NULLABLE, scheduleFieldsSchema } from '../../schedules/schedule-fields.ts';
import type { ScheduleOwner, Schedules } from '../../schedules/schedules.ts';
import type { AppContext } from '../api/context.ts';
import { queryLimit, timeInput } from '../api/query-list.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import {
  presentSchedule,
  presentScheduleRun,
  scheduleRunSchema,
  scheduleSchema,
} from '../presenters/schedule.ts';
import { timeField } from '../presenters/wire-fields.ts';

const COLLECTION = '/api/schedules';
const MEMBER = `${COLLECTION}/{schedule_id}`;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

const newSchedule = scheduleFieldsSchema
  .partial()
  .required({ name: true, prompt: true })
  .meta({
    id: 'NewSchedule',
    examples: [
      {
        name: 'Morning news',
        prompt: 'What is new about tea?',
        cron: '0 9 * * 1-5',
        timezone: 'Europe/Berlin',
      },
    ],
  });
const changedSchedule = scheduleFieldsSchema
  .partial()
  .refine((fields) => Object.keys(fields).length > 0, 'Name what changes')
  .meta({ id: 'ChangedSchedule', examples: [{ cron: '30 8 * * 1-5' }] });

const pageQuery = z.object({
  limit: queryLimit('Entries', { max: 100, usual: 20 }),
  before: timeInput().optional().describe('Only slots before this time: `next_before` of the page before'),
});

const listSchema = z.object({ schedules: z.array(scheduleSchema) }).meta({ id: 'Schedules' });
const pageSchema = z
  .object({ runs: z.array(scheduleRunSchema), has_more: z.boolean(), next_before: timeField.nullable() })
  .meta({ id: 'ScheduleRuns' });
const scheduleResponse = { description: 'The schedule', schema: scheduleSchema };

export function scheduleRoutes(routes: RouteTable, { schedules }: { readonly schedules: Schedules }): void {
  mountCollection(routes, schedules);
  mountMember(routes, schedules);
  mountRuns(routes, schedules);
}

function mountCollection(routes: RouteTable, schedules: Schedules): void {
  routes.get(COLLECTION, {
    operationId: 'listSchedules',
    summary: 'Your schedules, oldest first, each with its last run',
    responses: ok('All of them', listSchema),
    handle: async (c) => {
      const list = await schedules.list(ownerOf(c));
      return c.json({ schedules: list.map(presentSchedule) });
    },
  });

  routes.post(COLLECTION, {
    operationId: 'createSchedule',
    errors: ['conflict', 'not_found'],
    summary: 'Have the agent do something at set times: once (run_at) or repeatedly (cron)',
    body: { kind: 'json', schema: newSchedule, nullable: NULLABLE },
    responses: { 201: scheduleResponse },
    handle: async (c, { body }) => c.json(presentSchedule(await schedules.create(ownerOf(c), body)), 201),
  });
}

function mountMember(routes: RouteTable, schedules: Schedules): void {
  routes.get(MEMBER, {
    operationId: 'getSchedule',
    errors: ['not_found'],
    summary: 'One schedule',
    responses: { 200: scheduleResponse },
    handle: async (c) => c.json(presentSchedule(await schedules.get(ownerOf(c), idOf(c)))),
  });

  routes.patch(MEMBER, {
    operationId: 'updateSchedule',
    errors: ['not_found'],
    summary: 'Change a schedule: omitted fields keep their values. Active runs are not affected',
    body: { kind: 'json', schema: changedSchedule, nullable: NULLABLE },
    responses: { 200: scheduleResponse },
    handle: async (c, { body }) => c.json(presentSchedule(await schedules.update(ownerOf(c), idOf(c), body))),
  });

  routes.delete(MEMBER, {
    operationId: 'deleteSchedule',
    errors: ['not_found'],
    summary: 'Delete a schedule with its history. Its runs and threads stay',
    responses: { 204: { description: 'It is gone' } },
    handle: (c) => schedules.delete(ownerOf(c), idOf(c)),
  });

  routes.post(`${MEMBER}/pause`, {
    operationId: 'pauseSchedule',
    errors: ['not_found'],
    summary: 'Pause a schedule. An active run continues',
    responses: { 200: scheduleResponse },
    handle: async (c) => c.json(presentSchedule(await schedules.pause(ownerOf(c), idOf(c)))),
  });

  routes.post(`${MEMBER}/resume`, {
    operationId: 'resumeSchedule',
    errors: ['not_found', 'conflict', 'validation_failed'],
    summary: 'Resume a schedule with its next slot from now',
    responses: { 200: scheduleResponse },
    handle: async (c) => c.json(presentSchedule(await schedules.resume(ownerOf(c), idOf(c)))),
  });
}

function mountRuns(routes: RouteTable, schedules: Schedules): void {
  routes.post(`${MEMBER}/run`, {
    operationId: 'runSchedule',
    errors: ['not_found', 'conflict', 'too_many_waiting', 'payload_too_large', 'validation_failed'],
    summary: 'Run it now, outside its slots, even when paused. 409 while one of its runs is active',
    responses: { 201: { description: 'The run that was started', schema: scheduleRunSchema } },
    handle: async (c) => c.json(presentScheduleRun(await schedules.runNow(ownerOf(c), idOf(c))), 201),
  });

  routes.get(`${MEMBER}/runs`, {
    operationId: 'listScheduleRuns',
    errors: ['not_found'],
    summary: 'The outcomes of its slots, newest first; the last two hundred are kept',
    query: pageQuery,
    responses: ok('A page of them', pageSchema),
    handle: async (c, { query }) => {
      const { fires, hasMore } = await schedules.history(ownerOf(c), idOf(c), query);
      const runs = fires.map(presentScheduleRun);
      return c.json({ runs, has_more: hasMore, next_before: hasMore ? (runs.at(-1)?.slot ?? null) : null });
    },
  });
}

function ownerOf(c: AppContext): ScheduleOwner {
  return { userId: c.var.user.id, schedules: c.var.repositories.schedules };
}

/** Returns the schedule's id from the path. Throws `not_found` for a malformed one without a query. */
function idOf(c: AppContext): string {
  const id = pathParam(c, 'schedule_id');
  if (!ID.test(id)) throw notFound('Schedule');
  return id;
}
