// Creates schedules: what people do with them, and the job that runs them when their time has come.
import type { JobTaker } from '../upkeep/upkeep.ts';
import { createFiring, type FiringParts } from './firing.ts';
import { createScheduleService, type Schedules, type SchedulesParts } from './schedules.ts';

export function createSchedules(
  parts: SchedulesParts & FiringParts & { readonly upkeep: JobTaker },
): Schedules {
  const { job, startNow } = createFiring(parts);
  const added = parts.options.enabled ? parts.upkeep.add(job) : undefined;
  return createScheduleService({ ...parts, startNow, onPlanned: () => void added?.wake() });
}
