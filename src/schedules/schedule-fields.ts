// Validates what a person enters for a schedule: texts, time, and the fields on the wire.
import { z } from 'zod';
import { validationFailed } from '../errors.ts';
import type { ScheduleDefinition, ScheduleTiming } from '../storage/schedules.ts';
import { cronProblem, HORIZON_MS, isTimeZone, shortestInterval, slotAfter } from './timing.ts';

const MAX_NAME = 100;
const MAX_PROMPT = 20_000;
const MAX_CRON = 204;

const wellFormed = (text: string) => text.isWellFormed();
const ILL_FORMED = 'The text contains half of a surrogate pair';
const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine(wellFormed, ILL_FORMED)
    .refine((value) => value.trim() !== '', 'Say something');

const cron = z
  .string()
  .max(MAX_CRON)
  .transform((value) => value.trim().split(/\s+/).join(' '))
  .superRefine((value, context) => {
    const problem = cronProblem(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ type: 'string', maxLength: MAX_CRON, examples: ['0 9 * * 1-5'] })
  .describe('Minute, hour, day of the month, month, day of the week; in `timezone`');
const moment = z.iso
  .datetime({ offset: true })
  .max(64)
  .meta({ examples: ['2027-03-01T09:00:00Z'] })
  .describe('The one time at which it runs, instead of `cron`');
const threadId = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9_-]{1,64}$/);

/** Fields for which `null` has a meaning: no value. */
export const NULLABLE = ['model', 'cron', 'run_at', 'thread_id', 'webhook'] as const;

export const scheduleFieldsSchema = z.object({
  name: text(MAX_NAME).describe('Its name'),
  prompt: text(MAX_PROMPT).describe('The message that the agent gets each time'),
  assistant_id: z.string().min(1).max(128).describe('The agent; `lead_agent` by default'),
  model: z.string().min(1).max(128).nullable().describe('A name of `/api/models`'),
  cron: cron.nullable(),
  run_at: moment.nullable(),
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'Expected the name of a time zone, such as Europe/Berlin')
    .meta({ type: 'string', maxLength: 64, examples: ['Europe/Berlin'] })
    .describe('Of `cron`; `UTC` unless it is named'),
  thread_id: threadId.nullable().describe('The thread of all its runs; null: each gets a new one'),
  missed: z
    .enum(['skip', 'run_once'])
    .describe(
      'What happens to slots that passed while the service was down: nothing, or one run for all of them',
    ),
  webhook: z
    .url({ protocol: /^https?$/, error: 'A webhook is a full http(s) address' })
    .max(2_048)
    .nullable()
    .describe('Called with each run when it has ended'),
});

type Fields = z.output<typeof scheduleFieldsSchema>;
export type ScheduleFields = { readonly [name in keyof Fields]?: Fields[name] | undefined };

const DEFAULTS = {
  assistant_id: 'lead_agent',
  model: null,
  cron: null,
  run_at: null,
  timezone: 'UTC',
  thread_id: null,
  missed: 'run_once',
  webhook: null,
} as const satisfies ScheduleFields;

/** Returns a new definition. Throws `validation_failed` when it names no time, or two. */
export function newDefinition(fields: ScheduleFields & Pick<Fields, 'name' | 'prompt'>): ScheduleDefinition {
  const { name, prompt } = fields;
  return toDefinition(withFields({ ...DEFAULTS, name, prompt }, fields));
}

/** Returns the definition with the changes in `fields`. A new time of either kind replaces the one before. */
export function changedDefinition(before: ScheduleDefinition, fields: ScheduleFields): ScheduleDefinition {
  const { cron: newCron, run_at: newMoment } = fields;
  const other = {
    ...(newCron != null && newMoment === undefined ? { run_at: null } : {}),
    ...(newMoment != null && newCron === undefined ? { cron: null } : {}),
  };
  return toDefinition(withFields({ ...shownDefinition(before), ...other }, fields));
}

function withFields(before: Fields, fields: ScheduleFields): Fields {
  return { ...before, ...Object.fromEntries(Object.entries(fields).filter(([, it]) => it !== undefined)) };
}

/** Returns the definition as JSON shows it. `newDefinition` reads it back. */
export function shownDefinition({ timing, ...definition }: ScheduleDefinition): Fields {
  return {
    name: definition.name,
    prompt: definition.prompt,
    assistant_id: definition.assistantId,
    model: definition.model,
    cron: timing.kind === 'cron' ? timing.cron : null,
    run_at: timing.kind === 'once' ? new Date(timing.runAt).toISOString() : null,
    timezone: timing.timezone,
    thread_id: definition.threadId,
    missed: definition.missed,
    webhook: definition.webhook,
  };
}

function toDefinition(fields: Fields): ScheduleDefinition {
  return {
    name: fields.name.trim(),
    prompt: fields.prompt,
    assistantId: fields.assistant_id,
    model: fields.model,
    timing: toTiming(fields),
    threadId: fields.thread_id,
    missed: fields.missed,
    webhook: fields.webhook,
  };
}

function toTiming({ cron: pattern, run_at, timezone }: Fields): ScheduleTiming {
  if (pattern !== null && run_at !== null)
    throw validationFailed(['body', 'run_at'], 'A schedule has either cron or run_at, not both.');
  if (pattern !== null) return { kind: 'cron', cron: pattern, timezone };
  if (run_at === null)
    throw validationFailed(['body', 'cron'], 'Say when: cron for a time that comes again, run_at for one.');
  return { kind: 'once', runAt: Date.parse(run_at), timezone };
}

/**
 * Returns the first slot after now. Throws `validation_failed` for a time that has passed, never comes, comes
 * too late, or comes too often.
 */
export function requireFirstSlot(
  timing: ScheduleTiming,
  { now, minIntervalMs }: { readonly now: number; readonly minIntervalMs: number },
): number {
  const field = timing.kind === 'once' ? 'run_at' : 'cron';
  const refused = (sentence: string) => validationFailed(['body', field], sentence);
  if (timing.kind === 'once' && timing.runAt <= now) throw refused('This time has passed.');
  const slot = slotAfter(timing, now);
  if (slot === undefined)
    throw refused(
      `There is no such time in the next ${Math.round(HORIZON_MS / (365.25 * 86_400_000))} years.`,
    );
  if (shortestInterval(timing, now) < minIntervalMs)
    throw refused(
      `A schedule can run at most every ${minIntervalMs / 1_000} seconds (schedules.min_interval_seconds).`,
    );
  return slot;
}
