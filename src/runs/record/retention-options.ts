// How long run events are kept, by category: the section `runs.retention:` of the configuration file.
import { z } from 'zod';

const days = z.number().min(0).max(36_500).nullable().default(null);

/** Days after the end of their run; `null` for no limit. */
export const retentionOptionsSchema = z.strictObject({
  trace_days: days,
  middleware_days: days,
  subagent_days: days,
  lifecycle_days: days,
  error_days: days,
  message_days: days,
});

export type RetentionOptions = z.output<typeof retentionOptionsSchema>;
