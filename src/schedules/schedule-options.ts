// Options of schedules, from `schedules:` in the configuration file.
import { z } from 'zod';

export const scheduleOptionsSchema = z.strictObject({
  /** When off, nothing runs by itself. Existing schedules can still be read, changed and deleted. */
  enabled: z.boolean().default(true),
  /** Maximum number of schedules of one person. */
  max_per_user: z.int().min(1).max(1_000).default(50),
  /** A schedule that would run more often is refused. */
  min_interval_seconds: z.int().min(60).max(86_400).default(60),
  /**
   * How often the service polls for slots that another process has planned. It handles the slots that it
   * knows itself at their time.
   */
  check_seconds: z.number().min(0.05).max(60).default(30),
  /**
   * Concurrent runs of schedules, of all people and of one. Further ones wait, which leaves capacity for runs
   * that people start.
   */
  at_once: z.int().min(1).max(10_000).default(100),
  per_user: z.int().min(1).max(1_000).default(5),
});

export type ScheduleOptions = z.output<typeof scheduleOptionsSchema>;
