// What agents remember of people: the section `memory:` of the configuration file.
import { z } from 'zod';

export const memoryOptionsSchema = z.strictObject({
  /** When off, runs neither read memory nor add to it. Existing facts can still be read and deleted. */
  enabled: z.boolean().default(true),
  /** The most facts of one person and agent. */
  max_facts: z.int().min(1).max(500).default(100),
  /** The most tokens that a prompt spends on them. */
  max_prompt_tokens: z.int().min(0).max(8_000).default(1_500),
  /** Facts that separate model calls extract from what people say. */
  extraction: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** The model that extracts them. Absent: the model of the run. */
      model: z.string().min(1).optional(),
      /** Counted from the end of the last run of a thread. */
      delay_seconds: z.number().min(0).max(86_400).default(30),
      /** Facts of which the model is less certain are dropped; from 0 to 1. */
      min_confidence: z.number().min(0).max(1).default(0.7),
      /** Threads that are read at the same time. */
      at_once: z.int().min(1).max(64).default(2),
    })
    .prefault({}),
});

export type MemoryOptions = z.output<typeof memoryOptionsSchema>;
