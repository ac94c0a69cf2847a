// The service for schedules: create, read, change, pause, run now, delete.
import { conflict, notFound } from '../errors.ts';
import type {
  ClaimedFire,
  ScheduleDefinition,
  ScheduleFire,
  ScheduleRecord,
  ScheduleRepository,
} from '../storage/schedules.ts';
import {
  changedDefinition,
  newDefinition,
  requireFirstSlot,
  type ScheduleFields,
} from './schedule-fields.ts';
import type { ScheduleOptions } from './schedule-options.ts';
import { slotAfter } from './timing.ts';

export interface ScheduleOwner {
  readonly userId: string;
  readonly schedules: ScheduleRepository;
}

export type ShownSchedule = ScheduleRecord & {
  /** The newest fire that was not skipped. */
  readonly lastFire: ScheduleFire | undefined;
};

interface FirePage {
  readonly fires: readonly ScheduleFire[];
  readonly hasMore: boolean;
}

/** A schedule of another person counts as absent: `not_found`. */
export interface Schedules {
  /** Returns the schedules, oldest first. */
  list(owner: ScheduleOwner): Promise<readonly ShownSchedule[]>;
  get(owner: ScheduleOwner, scheduleId: string): Promise<ShownSchedule>;
  /**
   * Throws `validation_failed` for a time that never comes, or comes too often, and for values with which no
   * run can be started; `not_found` for an agent or a thread that does not exist; `conflict` when the person
   * has `schedules.max_per_user` schedules.
   */
  create(
    owner: ScheduleOwner,
    fields: ScheduleFields & Pick<ScheduleDefinition, 'name' | 'prompt'>,
  ): Promise<ShownSchedule>;
  /** Changes the given fields. A paused schedule stays paused. Throws as `create`. */
  update(owner: ScheduleOwner, scheduleId: string, fields: ScheduleFields): Promise<ShownSchedule>;
  pause(owner: ScheduleOwner, scheduleId: string): Promise<ShownSchedule>;
  /**
   * Continues with the next slot from now. Slots that passed during the pause count as never planned. Throws
   * as `create`.
   */
  resume(owner: ScheduleOwner, scheduleId: string): Promise<ShownSchedule>;
  /**
   * Starts one run besides the slots, also of a paused schedule. Throws `conflict` while a run of the
   * schedule has not ended, and as the start of a run does.
   */
  runNow(owner: ScheduleOwner, scheduleId: string): Promise<ScheduleFire>;
  delete(owner: ScheduleOwner, scheduleId: string): Promise<void>;
  /** Returns the fires, newest first. */
  history(
    owner: ScheduleOwner,
    scheduleId: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<FirePage>;
}

export interface SchedulesParts {
  readonly options: ScheduleOptions;
  /** Throws for a thread, an agent, a model or a webhook with which no run can be started. */
  readonly requireRunnable: (userId: string, definition: ScheduleDefinition) => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
}

interface ServiceParts extends SchedulesParts {
  readonly startNow: (fire: ClaimedFire) => Promise<void>;
  /** Called when the next slot of a schedule may have changed, or a fire of it has begun. */
  readonly onPlanned: () => void;
}

/** Starting a run takes a fraction of this. */
const LEASE_MS = 30_000;

export function createScheduleService(parts: ServiceParts): Schedules {
  const { now } = parts;
  return {
    ...reading(),
    ...changing(parts),
    async pause({ schedules }, scheduleId) {
      const { pausedBecause } = await found(schedules, scheduleId);
      const change = { pausedBecause: pausedBecause ?? 'person', nextRunAt: null, now: now() } as const;
      return shown(schedules, (await schedules.update(scheduleId, change)) ?? absent());
    },
    async delete({ schedules }, scheduleId) {
      if (!(await schedules.delete(scheduleId))) throw absent();
    },
    async runNow({ schedules }, scheduleId) {
      requireOn(parts);
      const at = now();
      const fire = { now: at, newThreadId: parts.newId(), leaseUntil: at + LEASE_MS };
      const claimed = await schedules.fireNow(scheduleId, fire);
      if (claimed === 'absent') throw absent();
      if (claimed === 'running')
        throw conflict('The last run of this schedule has not ended. Wait for it, or cancel it.');
      parts.onPlanned();
      await parts.startNow(claimed);
      const [started] = await schedules.fires(scheduleId, { limit: 1, before: claimed.slot + 1 });
      if (started === undefined) throw absent();
      return started;
    },
  };
}

function reading(): Pick<Schedules, 'list' | 'get' | 'history'> {
  return {
    async list({ schedules }) {
      const records = await schedules.list();
      const last = records.length === 0 ? new Map<string, ScheduleFire>() : await schedules.lastFires();
      return records.map((record) => ({ ...record, lastFire: last.get(record.scheduleId) }));
    },
    get: async ({ schedules }, scheduleId) => shown(schedules, await found(schedules, scheduleId)),
    async history({ schedules }, scheduleId, { limit, before }) {
      await found(schedules, scheduleId);
      const fires = await schedules.fires(scheduleId, { limit: limit + 1, before });
      return { fires: fires.slice(0, limit), hasMore: fires.length > limit };
    },
  };
}

function changing(parts: ServiceParts): Pick<Schedules, 'create' | 'update' | 'resume'> {
  const { options, requireRunnable, onPlanned, now, newId } = parts;
  const limits = () => ({ now: now(), minIntervalMs: options.min_interval_seconds * 1_000 });
  return {
    async create({ userId, schedules }, fields) {
      requireOn(parts);
      const definition = newDefinition(fields);
      const nextRunAt = requireFirstSlot(definition.timing, limits());
      await requireRunnable(userId, definition);
      const at = now();
      const times = { nextRunAt, createdAt: at, updatedAt: at };
      const record = { ...definition, ...times, scheduleId: newId(), pausedBecause: null };
      const outcome = await schedules.create(record, options.max_per_user);
      if (outcome === 'no_account') throw notFound('Account');
      if (outcome === 'too_many')
        throw conflict(
          `You have ${options.max_per_user} schedules (schedules.max_per_user). Delete one first.`,
        );
      onPlanned();
      return { ...record, userId, lastFire: undefined };
    },
    async update({ userId, schedules }, scheduleId, fields) {
      const before = await found(schedules, scheduleId);
      const definition = changedDefinition(before, fields);
      const isMoved = JSON.stringify(definition.timing) !== JSON.stringify(before.timing);
      const first = isMoved ? requireFirstSlot(definition.timing, limits()) : undefined;
      await requireRunnable(userId, definition);
      const { pausedBecause } = before;
      const next = first === undefined ? {} : { nextRunAt: pausedBecause === null ? first : null };
      const change = { definition, pausedBecause, ...next, now: now() };
      const updated = (await schedules.update(scheduleId, change)) ?? absent();
      onPlanned();
      return shown(schedules, updated);
    },
    async resume({ userId, schedules }, scheduleId) {
      requireOn(parts);
      const schedule = await found(schedules, scheduleId);
      if (schedule.pausedBecause === null) return shown(schedules, schedule);
      await requireRunnable(userId, schedule);
      const at = now();
      const nextRunAt = slotAfter(schedule.timing, at) ?? null;
      const change = { pausedBecause: null, nextRunAt, now: at };
      const resumed = (await schedules.update(scheduleId, change)) ?? absent();
      onPlanned();
      return shown(schedules, resumed);
    },
  };
}

async function found(schedules: ScheduleRepository, scheduleId: string): Promise<ScheduleRecord> {
  const schedule = await schedules.get(scheduleId);
  if (schedule === undefined) throw absent();
  return schedule;
}

async function shown(schedules: ScheduleRepository, schedule: ScheduleRecord): Promise<ShownSchedule> {
  return { ...schedule, lastFire: (await schedules.lastFires()).get(schedule.scheduleId) };
}

function absent(): never {
  throw notFound('Schedule');
}

function requireOn({ options }: SchedulesParts): void {
  if (!options.enabled) throw conflict('This service does not run schedules (schedules.enabled).');
}
