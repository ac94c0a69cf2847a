// Schedules and the outcomes of their slots in their wire format.
import { z } from 'zod';
import { shownDefinition } from '../../schedules/schedule-fields.ts';
import type { ShownSchedule } from '../../schedules/schedules.ts';
import type { ScheduleFire } from '../../storage/schedules.ts';
import { presenterOf } from './presenter-of.ts';
import { runIdField, threadIdField, timeField, timestamp } from './wire-fields.ts';

export const scheduleRunSchema = z
  .object({
    slot: timeField.meta({ description: 'When it was to run' }),
    trigger: z
      .enum(['time', 'manual'])
      .meta({ description: '`manual`: started by a person outside the slots' }),
    status: z
      .enum([
        'waiting',
        'pending',
        'running',
        'success',
        'error',
        'interrupted',
        'timeout',
        'deleted',
        'skipped',
        'refused',
      ])
      .meta({
        description:
          'The status of the run, or `waiting` (not started yet), `skipped`, `refused` (could not be started), `deleted`',
      }),
    reason: z
      .string()
      .nullable()
      .meta({
        description:
          'The stop reason of the run, such as `awaiting_input` of one that waits for an approval; `missed` or `still_running` of a slot that was skipped; the code of the error otherwise',
        examples: ['completed'],
      }),
    detail: z.string().nullable().meta({ description: 'A sentence to it, where there is one' }),
    run_id: runIdField.nullable(),
    thread_id: threadIdField.nullable(),
    created_at: timeField,
    ended_at: timeField.nullable(),
  })
  .meta({ id: 'ScheduleRun' });

export const scheduleSchema = z
  .object({
    schedule_id: z.string().meta({ examples: ['01993f5a-9c04-7d11-8e6b-2a4c7f9d3b51'] }),
    name: z.string().meta({ examples: ['Morning news'] }),
    prompt: z.string().meta({ examples: ['What is new about tea?'] }),
    assistant_id: z.string().meta({ examples: ['lead_agent'] }),
    model: z.string().nullable(),
    cron: z
      .string()
      .nullable()
      .meta({ examples: ['0 9 * * 1-5'] }),
    run_at: timeField.nullable(),
    timezone: z.string().meta({ examples: ['Europe/Berlin'] }),
    thread_id: threadIdField.nullable().meta({ description: 'null: each run gets a thread of its own' }),
    missed: z.enum(['skip', 'run_once']),
    webhook: z.string().nullable(),
    status: z
      .enum(['active', 'paused', 'finished'])
      .meta({ description: '`finished`: there is no further slot' }),
    paused_because: z
      .enum(['person', 'thread_deleted', 'agent_missing', 'imported'])
      .nullable()
      .meta({ description: 'All but `person`: the service paused it' }),
    next_run_at: timeField.nullable(),
    last_run: scheduleRunSchema.nullable().meta({ description: 'The newest slot that was not skipped' }),
    created_at: timeField,
    updated_at: timeField,
  })
  .meta({ id: 'Schedule' });

export function presentSchedule(schedule: ShownSchedule): z.output<typeof scheduleSchema> {
  const { scheduleId, pausedBecause, nextRunAt, lastFire } = schedule;
  const { run_at, ...definition } = shownDefinition(schedule);
  return {
    schedule_id: scheduleId,
    ...definition,
    run_at: run_at === null ? null : timestamp(Date.parse(run_at)),
    status: statusOf(schedule),
    paused_because: pausedBecause,
    next_run_at: nextRunAt === null ? null : timestamp(nextRunAt),
    last_run: lastFire === undefined ? null : presentScheduleRun(lastFire),
    created_at: timestamp(schedule.createdAt),
    updated_at: timestamp(schedule.updatedAt),
  };
}

function statusOf({ pausedBecause, nextRunAt }: ShownSchedule): 'active' | 'paused' | 'finished' {
  if (pausedBecause !== null) return 'paused';
  return nextRunAt === null ? 'finished' : 'active';
}

const presentFire = presenterOf(scheduleRunSchema);

export function presentScheduleRun(fire: ScheduleFire): z.output<typeof scheduleRunSchema> {
  return presentFire({
    ...fire,
    slot: timestamp(fire.slot),
    trigger: fire.isManual ? 'manual' : 'time',
    status: runStatusOf(fire),
    threadId: fire.runId === null ? null : fire.threadId,
  });
}

function runStatusOf({ status, runStatus }: ScheduleFire): z.output<typeof scheduleRunSchema>['status'] {
  if (status === 'waiting' || status === 'skipped' || status === 'refused') return status;
  return runStatus ?? 'deleted';
}
