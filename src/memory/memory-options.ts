// What agents remember of people: what the configuration file says under `memory:`.
import { z } from 'zod';

export const memoryOptionsSchema = z.strictObject({
  /** When off, runs neither read memory nor add to it. Existing facts can still be read and deleted. */
  enabled: z.boolean().default(true),
  /** Facts of one person and agent. */
  max_facts: z.int().min(1).max(500).default(100),
  /** What a prompt says of them at most, in tokens. */
  max_prompt_tokens: z.int().min(0).max(8_000).default(1_500),
  /** Facts that are taken out of what people say, with model calls of their own. */
  extraction: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** The model that looks for them; absent: that of the run. */
      model: z.string().min(1).optional(),
      /** From the end of the last run of a thread on. */
      delay_seconds: z.number().min(0).max(86_400).default(30),
      /** What the model is less sure of is not kept; from 0 to 1. */
      min_confidence: z.number().min(0).max(1).default(0.7),
      /** Threads that are read at the same time. */
      at_once: z.int().min(1).max(64).default(2),
    })
    .prefault({}),
});

export type MemoryOptions = z.output<typeof memoryOptionsSchema>;
