// Options of compaction: what the configuration file says under `agent.compaction`.
import { z } from 'zod';

const DEFAULT_TRIGGER = 0.8;
const DEFAULT_KEEP = 0.3;

export const compactionOptionsSchema = z
  .strictObject({
    enabled: z.boolean().default(true),
    /** The part of the model's `context_window` at which older messages are summarised. */
    trigger: z.number().min(0.1).max(1).default(DEFAULT_TRIGGER),
    /** The part of it that the newest messages keep. */
    keep: z.number().min(0.01).max(0.9).default(DEFAULT_KEEP),
    /** The model that writes summaries; absent: the model of the run. */
    model: z.string().min(1).optional(),
  })
  .refine(({ trigger, keep }) => keep < trigger, {
    path: ['keep'],
    error: 'must be less than trigger, or nothing would be gained',
  });

export type CompactionOptions = z.output<typeof compactionOptionsSchema>;
