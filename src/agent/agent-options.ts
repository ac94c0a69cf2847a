// Options of the agent: what the configuration file says under `agent:`.
import { z } from 'zod';
import { compactionOptionsSchema } from './compaction/compaction-options.ts';

const subagentOptionsSchema = z.strictObject({
  /** Whether runs have sub-agents that do not say so themselves (`configurable.subagent_enabled`). */
  enabled: z.boolean().default(true),
  /** Sub-agents of one agent that work at the same time; further ones wait. */
  max_concurrent: z.int().min(1).max(16).default(3),
  /** 1: sub-agents have none of their own. */
  max_depth: z.int().min(1).max(3).default(1),
  /** Steps of one sub-agent. */
  recursion_limit: z.int().min(1).max(1_000).default(100),
  timeout_seconds: z.number().positive().max(86_400).default(1_800),
});

export const agentOptionsSchema = z.strictObject({
  /** Added to the lead agent's system prompt. */
  instructions: z.string().max(20_000).default(''),
  /** Tools that a person must agree to before they run. */
  approvals: z.record(z.string().min(1), z.enum(['always', 'never', 'once_per_thread'])).default({}),
  /** The model that writes titles; absent: the first words of the question, without a model call. */
  title_model: z.string().min(1).optional(),
  /** What becomes of threads that are longer than the model can read. */
  compaction: compactionOptionsSchema.prefault({}),
  subagents: subagentOptionsSchema.prefault({}),
  /** Tool calls of one answer: those that run at the same time, and those that run at all. */
  tool_calls: z
    .strictObject({
      at_once: z.int().min(1).max(128).default(16),
      max: z.int().min(1).max(1_000).default(128),
    })
    .prefault({}),
});

export type AgentOptions = z.output<typeof agentOptionsSchema>;
