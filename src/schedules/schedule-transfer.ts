// Exports the schedules of a person with an account, and imports them.
import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { AccountLines, ArrivingLine, LineTarget } from '../storage/account-packages.ts';
import type { ScheduleDefinition } from '../storage/schedules.ts';
import type { Storage } from '../storage/storage.ts';
import { newDefinition, scheduleFieldsSchema, shownDefinition } from './schedule-fields.ts';
import type { ScheduleOptions } from './schedule-options.ts';

interface ScheduleTransferParts {
  readonly storage: Pick<Storage, 'as'>;
  readonly options: Pick<ScheduleOptions, 'max_per_user'>;
  readonly hasModel: (name: string) => boolean;
  readonly now: () => number;
  readonly newId: () => string;
}

/** The highest `schedules.max_per_user` that a configuration may set. */
const MOST = 1_000;

/**
 * Imported schedules are paused, because the service from which they come may still run them. Their history
 * stays there.
 */
export function createScheduleTransfer(parts: ScheduleTransferParts): AccountLines {
  return {
    maxLines: MOST,
    async *lines(userId) {
      for (const schedule of await parts.storage.as(userId).schedules.list()) yield shownDefinition(schedule);
    },
    read(line) {
      const parsed = scheduleFieldsSchema.safeParse(line);
      if (!parsed.success) return sentenceOf(parsed.error);
      try {
        return arriving(parts, newDefinition(parsed.data));
      } catch (error) {
        if (error instanceof ServiceError) return error.detail;
        throw error;
      }
    },
  };
}

function sentenceOf({ issues: [issue] }: z.ZodError): string {
  return `${[...(issue?.path ?? []), ''].join('.')} ${issue?.message}.`.trim();
}

function arriving(parts: ScheduleTransferParts, definition: ScheduleDefinition): ArrivingLine {
  const { storage, options, now, newId } = parts;
  return {
    name: definition.name,
    async bringIn({ userId, threadIds }) {
      const { schedules } = storage.as(userId);
      const { brought, leftOut } = fitted(parts, definition, threadIds);
      const text = textOf(brought);
      if ((await schedules.list()).some((own) => textOf(own) === text))
        return { added: 0, leftOut: ['You already have this schedule.'] };
      const at = now();
      const times = { nextRunAt: null, createdAt: at, updatedAt: at };
      const record = { ...brought, ...times, scheduleId: newId(), pausedBecause: 'imported' } as const;
      const outcome = await schedules.create(record, options.max_per_user);
      if (outcome === 'created') return { added: 1, leftOut };
      const full = `You have ${options.max_per_user} schedules. Delete one, and import again.`;
      return { added: 0, leftOut: [full] };
    },
  };
}

/** Returns the definition without a thread or model that is not here, and a sentence for each. */
function fitted(
  { hasModel }: Pick<ScheduleTransferParts, 'hasModel'>,
  definition: ScheduleDefinition,
  threadIds: LineTarget['threadIds'],
) {
  const { threadId, model } = definition;
  const newThreadId = threadId === null ? null : (threadIds.get(threadId) ?? null);
  const isKnown = model === null || hasModel(model);
  const leftOut = [
    ...(newThreadId === null && threadId !== null
      ? ['Its thread was not imported: each of its runs gets a new one.']
      : []),
    ...(isKnown ? [] : [`Imported without its model ${model}, which this service does not have.`]),
  ];
  return { brought: { ...definition, threadId: newThreadId, model: isKnown ? model : null }, leftOut };
}

/** Two schedules are the same when their texts are. */
function textOf(definition: ScheduleDefinition): string {
  return JSON.stringify(shownDefinition(definition));
}
