// Options of the agent: what the configuration file says under `agent:`.
import { z } from 'zod';

const toolName = z.string().min(1).max(128);

/** A kind of sub-agent beside `general-purpose`. What is absent is as it is for that one. */
const subagentTypeSchema = z.strictObject({
  /** What it is for: agents choose by it. */
  description: z.string().trim().min(1).max(500),
  /** Added to what it is told about itself. */
  prompt: z.string().trim().min(1).max(20_000),
  /** Absent: that of the run. */
  model: z.string().min(1).optional(),
  /** Names; absent: all that sub-agents have. */
  tools: z.array(toolName).max(200).optional(),
  /** Names of those of the run's skills that it is told of; absent: all. */
  skills: z.array(z.string().min(1).max(64)).max(200).optional(),
  max_steps: z.int().min(1).max(1_000).optional(),
  timeout_seconds: z.number().positive().max(86_400).optional(),
});

export type SubagentType = z.output<typeof subagentTypeSchema>;

const typeName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'Small letters, digits and hyphens')
  .refine((name) => name !== 'general-purpose', 'That one comes with the service');

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
  /** Tasks that go on behind the answer of the agent that gave them. */
  background: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Those of one thread whose results are not told yet. */
      max_per_thread: z.int().min(1).max(64).default(4),
    })
    .prefault({}),
  /** Kinds of sub-agents beside the one that comes with the service, by name. */
  types: z
    .record(typeName, subagentTypeSchema)
    .refine((types) => Object.keys(types).length <= 32, 'At most 32')
    .default({}),
});

const compactionOptionsSchema = z
  .strictObject({
    enabled: z.boolean().default(true),
    /** The part of the model's `context_window` at which older messages are summarised. */
    trigger: z.number().min(0.1).max(1).default(0.8),
    /** The part of it that the newest messages keep. */
    keep: z.number().min(0.01).max(0.9).default(0.3),
    /** The model that writes summaries; absent: the model of the run. */
    model: z.string().min(1).optional(),
  })
  .refine(({ trigger, keep }) => keep < trigger, {
    path: ['keep'],
    error: 'must be less than trigger, or nothing would be gained',
  });

export type CompactionOptions = z.output<typeof compactionOptionsSchema>;

const loopOptionsSchema = z
  .strictObject({
    enabled: z.boolean().default(true),
    /** So often a call, or a round of two or three, was made with the same arguments when the model is warned. */
    warn_after: z.int().min(2).max(1_000).default(3),
    /** So often it is not made any more, and the run ends. */
    stop_after: z.int().min(3).max(1_000).default(6),
  })
  .refine(({ warn_after, stop_after }) => warn_after < stop_after, {
    path: ['warn_after'],
    error: 'must be less than stop_after, or the model would not be warned',
  });

export type LoopOptions = z.output<typeof loopOptionsSchema>;

export const agentOptionsSchema = z.strictObject({
  /** Added to the lead agent's system prompt. */
  instructions: z.string().max(20_000).default(''),
  /** Tools that a person must agree to before they run. */
  approvals: z.record(z.string().min(1), z.enum(['always', 'never', 'once_per_thread'])).default({}),
  /** The model that writes titles; absent: the first words of the question, without a model call. */
  title_model: z.string().min(1).optional(),
  /** What a person may want to say next (`POST /api/threads/{thread_id}/suggestions`). */
  suggestions: z
    .strictObject({
      /** Off: there never are any. */
      enabled: z.boolean().default(true),
      /** The model that writes them; absent: that of the thread's last run. */
      model: z.string().min(1).optional(),
    })
    .prefault({}),
  /** The model that judges whether the goal of a thread is met; absent: that of the run. */
  goal_model: z.string().min(1).optional(),
  /** What becomes of threads that are longer than the model can read. */
  compaction: compactionOptionsSchema.prefault({}),
  subagents: subagentOptionsSchema.prefault({}),
  /** When an agent that repeats its calls is warned, and when its run is ended. */
  loops: loopOptionsSchema.prefault({}),
  /** Tool calls of one answer: those that run at the same time, and those that run at all. */
  tool_calls: z
    .strictObject({
      at_once: z.int().min(1).max(128).default(16),
      max: z.int().min(1).max(1_000).default(128),
      /** What their results may add to the prompt together; never more than a quarter of what the model can read. */
      max_output_characters: z.int().min(2_000).max(10_000_000).default(100_000),
    })
    .prefault({}),
});

export type AgentOptions = z.output<typeof agentOptionsSchema>;
