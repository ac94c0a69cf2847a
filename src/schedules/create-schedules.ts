// Creates the service for schedules, and the job that starts their runs when they are due.
import type { JobTaker } from '../upkeep/upkeep.ts';
import { createFiring, type FiringParts } from './firing.ts';
import { createScheduleService, type Schedules, type SchedulesParts } from './schedules.ts';

interface AllScheduleParts extends SchedulesParts, FiringParts {
  readonly upkeep: JobTaker;
}

export function createSchedules(parts: AllScheduleParts): Schedules {
  const { options, fires, requireRunnable, startRun, exclusive, upkeep, log, now, newId } = parts;
  const { job, startNow } = createFiring({ fires, options, startRun, exclusive, log, now, newId });
  const added = options.enabled ? upkeep.add(job) : undefined;
  const onPlanned = () => void added?.wake();
  return createScheduleService({ options, requireRunnable, startNow, onPlanned, now, newId });
}
