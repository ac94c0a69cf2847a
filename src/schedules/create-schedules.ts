// Creates the service for schedules, and the job that starts their runs when they are due.
import type { Log } from '../log.ts';
import type { ScheduleFires } from '../storage/schedules.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import { createFiring, type FiringParts } from './firing.ts';
import type { ScheduleOptions } from './schedule-options.ts';
import { createScheduleService, type Schedules, type SchedulesParts } from './schedules.ts';

interface AllScheduleParts {
  readonly options: ScheduleOptions;
  readonly fires: ScheduleFires;
  readonly requireRunnable: SchedulesParts['requireRunnable'];
  readonly startRun: FiringParts['startRun'];
  /** True when no other process uses the database. */
  readonly exclusive: boolean;
  readonly upkeep: JobTaker;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
  readonly newId: () => string;
}

export function createSchedules(parts: AllScheduleParts): Schedules {
  const { options, fires, requireRunnable, startRun, exclusive, upkeep, log, now, newId } = parts;
  const { job, startNow } = createFiring({ fires, options, startRun, exclusive, log, now, newId });
  const added = options.enabled ? upkeep.add(job) : undefined;
  const onPlanned = () => void added?.wake();
  return createScheduleService({ options, requireRunnable, startNow, onPlanned, now, newId });
}
