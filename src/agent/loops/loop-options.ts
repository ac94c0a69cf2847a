// Options of loop detection: what the configuration file says under `agent.loops`.
import { z } from 'zod';

const DEFAULT_WARN_AFTER = 3;
const DEFAULT_STOP_AFTER = 6;

export const loopOptionsSchema = z
  .strictObject({
    enabled: z.boolean().default(true),
    /** So often a call, or a round of two or three, was made with the same arguments when the model is warned. */
    warn_after: z.int().min(2).max(1_000).default(DEFAULT_WARN_AFTER),
    /** So often it is not made any more, and the run ends. */
    stop_after: z.int().min(3).max(1_000).default(DEFAULT_STOP_AFTER),
  })
  .refine(({ warn_after, stop_after }) => warn_after < stop_after, {
    path: ['warn_after'],
    error: 'must be less than stop_after, or the model would not be warned',
  });

export type LoopOptions = z.output<typeof loopOptionsSchema>;
