// Schedules: what the configuration file says under `schedules:`.
import { z } from 'zod';

export const scheduleOptionsSchema = z.strictObject({
  /** When off, nothing runs by itself. Existing schedules can still be read, changed and deleted. */
  enabled: z.boolean().default(true),
  /** Schedules of one person. */
  max_per_user: z.int().min(1).max(1_000).default(50),
  /** A schedule that would run more often is refused. */
  min_interval_seconds: z.int().min(60).max(86_400).default(60),
  /** How often the service looks for slots that another process knows of; those that it knows itself it looks for at their time. */
  check_seconds: z.number().min(0.05).max(60).default(30),
  /** Runs of schedules at the same time, of all people and of one; further ones wait, and leave room to whoever asks by hand. */
  at_once: z.int().min(1).max(10_000).default(100),
  per_user: z.int().min(1).max(1_000).default(5),
});

export type ScheduleOptions = z.output<typeof scheduleOptionsSchema>;
