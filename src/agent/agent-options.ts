// Options of the agent: the section `agent:` of the configuration file.
import { z } from 'zod';

const toolName = z.string().min(1).max(128);

/** A kind of sub-agent besides `general-purpose`. Absent fields are as in that kind. */
const subagentTypeSchema = z.strictObject({
  /** What the kind is for. Agents choose by it. */
  description: z.string().trim().min(1).max(500),
  /** Added to the sub-agent's system prompt. */
  prompt: z.string().trim().min(1).max(20_000),
  /** Absent: the model of the run. */
  model: z.string().min(1).optional(),
  /** Tool names; absent: all tools of sub-agents. */
  tools: z.array(toolName).max(200).optional(),
  /** Names of the run's skills that the sub-agent works with; absent: all. */
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
  /** Whether runs have sub-agents when they do not choose (`configurable.subagent_enabled`). */
  enabled: z.boolean().default(true),
  /** Sub-agents of one agent that work at the same time; others wait. */
  max_concurrent: z.int().min(1).max(16).default(3),
  /** Levels of sub-agents. At 1, sub-agents have no sub-agents. */
  max_depth: z.int().min(1).max(3).default(1),
  /** Steps of one sub-agent. */
  recursion_limit: z.int().min(1).max(1_000).default(100),
  timeout_seconds: z.number().positive().max(86_400).default(1_800),
  /** Tasks that continue after the reply of the agent that gave them. */
  background: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Tasks of one thread whose results are not reported yet. */
      max_per_thread: z.int().min(1).max(64).default(4),
    })
    .prefault({}),
  /** Kinds of sub-agents besides `general-purpose`, by name. */
  types: z
    .record(typeName, subagentTypeSchema)
    .refine((types) => Object.keys(types).length <= 32, 'At most 32')
    .default({}),
});

const compactionOptionsSchema = z
  .strictObject({
    enabled: z.boolean().default(true),
    /** The fraction of the model's `context_window` at which older messages are summarised. */
    trigger: z.number().min(0.1).max(1).default(0.8),
    /** The fraction of it that the newest messages may fill. */
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
    /** How often a call, or round of two or three, was made with equal arguments when the model is warned. */
    warn_after: z.int().min(2).max(1_000).default(3),
    /** The call is refused, and the run ends, when it was made this often. */
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
  /** When a person must approve a tool before it runs, by tool name. */
  approvals: z.record(z.string().min(1), z.enum(['always', 'never', 'once_per_thread'])).default({}),
  /** The model that writes titles; absent: the first words of the question, without a model call. */
  title_model: z.string().min(1).optional(),
  /** Suggestions of what a person may say next (`POST /api/threads/{thread_id}/suggestions`). */
  suggestions: z
    .strictObject({
      /** When false, there are no suggestions. */
      enabled: z.boolean().default(true),
      /** The model that writes suggestions; absent: the model of the thread's last run. */
      model: z.string().min(1).optional(),
    })
    .prefault({}),
  /** The model that judges whether the goal of a thread is met; absent: the model of the run. */
  goal_model: z.string().min(1).optional(),
  /** How threads are shortened that exceed what the model can read. */
  compaction: compactionOptionsSchema.prefault({}),
  subagents: subagentOptionsSchema.prefault({}),
  /** When an agent that repeats its calls is warned, and when its run is ended. */
  loops: loopOptionsSchema.prefault({}),
  /** Tool calls of one message: how many run at the same time, and how many run at all. */
  tool_calls: z
    .strictObject({
      at_once: z.int().min(1).max(128).default(16),
      max: z.int().min(1).max(1_000).default(128),
      /** Characters of all their results in the prompt; never more than a quarter of the model's window. */
      max_output_characters: z.int().min(2_000).max(10_000_000).default(100_000),
    })
    .prefault({}),
});

export type AgentOptions = z.output<typeof agentOptionsSchema>;
