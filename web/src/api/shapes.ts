// The fields of response bodies that the app reads.
import * as z from 'zod/mini';

// The page's security policy does not let the validator compile code at run time.
z.config({ jitless: true });

export const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  system_role: z.string(),
  needs_setup: z.boolean(),
});
export type User = z.infer<typeof userSchema>;

const apiKeySchema = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  scopes: z.array(z.string()),
  expires_at: z.nullable(z.string()),
  last_used_at: z.nullable(z.string()),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

export const apiKeyListSchema = z.object({ api_keys: z.array(apiKeySchema) });
const sessionSchema = z.object({
  id: z.string(),
  device: z.string(),
  client_ip: z.string(),
  created_at: z.string(),
  last_used_at: z.string(),
  password_confirmed_seconds: z.number(),
  current: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;
export const sessionListSchema = z.object({ sessions: z.array(sessionSchema) });

export const madeKeySchema = z.object({ key: z.string() });

const amountSchema = z.object({ amount: z.number(), currency: z.string() });
const SPENT = {
  calls: z.number(),
  tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** Null when no price is known. `also` has the amounts in currencies that prices had before. */
  cost: z.nullable(z.object({ ...amountSchema.shape, also: z.optional(z.array(amountSchema)) })),
};
const spentSchema = z.object(SPENT);
export type Spent = z.infer<typeof spentSchema>;

export const usageSchema = z.object({
  total: spentSchema,
  by_model: z.record(z.string(), spentSchema),
  /** Today's budget. Null when nothing is limited. */
  budget: z.nullable(
    z.object({
      tokens: z.nullable(z.object({ limit: z.number(), used: z.number() })),
      cost: z.nullable(z.object({ limit: z.number(), used: z.number(), currency: z.string() })),
      resets_at: z.string(),
    }),
  ),
  days: z.array(z.object({ date: z.string(), ...SPENT })),
});
export type Usage = z.infer<typeof usageSchema>;
export type DayBudget = NonNullable<Usage['budget']>;

export const threadUsageSchema = z.object({
  total_tokens: z.number(),
  cost: SPENT.cost,
  by_model: z.record(z.string(), z.unknown()),
  /** The tokens of the last prompt, and the context window of its model. */
  context_usage: z.nullable(z.object({ tokens: z.number(), context_window: z.number(), ratio: z.number() })),
});
/** The usage of the ended runs of a thread. */
export type ThreadUsage = z.infer<typeof threadUsageSchema>;

export const loginSchema = z.object({ needs_setup: z.optional(z.boolean()) });

export const setupStatusSchema = z.object({
  needs_setup: z.optional(z.boolean()),
  registration_enabled: z.optional(z.boolean()),
});

export const threadSchema = z.object({
  thread_id: z.string(),
  status: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  values: z.optional(z.nullable(z.object({ title: z.optional(z.nullable(z.string())) }))),
});

/** A new title does not move a chat in the list, which is sorted by the last message. */
export const listedThreadSchema = z.extend(threadSchema, {
  state_updated_at: z.string(),
  /** `schedule_id` is set when a run of a schedule created the thread. */
  metadata: z.catch(z.optional(z.object({ schedule_id: z.optional(z.string()) })), undefined),
});
export type Thread = z.infer<typeof listedThreadSchema>;

/** Pairs of start and end offsets in a text; the end is exclusive. */
const marksSchema = z.array(z.tuple([z.number(), z.number()]));

export const foundSchema = z.object({
  results: z.array(
    z.object({
      thread_id: z.string(),
      title: z.nullable(z.string()),
      title_marks: marksSchema,
      updated_at: z.string(),
      matches: z.array(
        z.object({
          message_id: z.string(),
          seq: z.number(),
          role: z.string(),
          snippet: z.string(),
          marks: marksSchema,
        }),
      ),
    }),
  ),
  has_more: z.boolean(),
});
export type Found = z.infer<typeof foundSchema>;
export type FoundThread = Found['results'][number];

const RUN_USAGE = {
  run_id: z.string(),
  total_tokens: z.optional(z.number()),
  cost: z.optional(SPENT.cost),
  token_usage_by_model: z.optional(z.record(z.string(), z.unknown())),
  status: z.string(),
  stop_reason: z.optional(z.nullable(z.string())),
  error: z.optional(z.nullable(z.string())),
  started_at: z.optional(z.nullable(z.string())),
  finished_at: z.optional(z.nullable(z.string())),
};
export const runUsageSchema = z.object(RUN_USAGE);
/** The usage of a run's model calls so far, and how it ended. */
export type RunUsage = z.infer<typeof runUsageSchema>;

export const runSchema = z.object(RUN_USAGE);
export type Run = z.infer<typeof runSchema>;

export const runErrorSchema = z.object({
  metadata: z.object({ budget: z.optional(z.enum(['run', 'user_day'])) }),
});

export const checkpointSchema = z.object({
  checkpoint_id: z.string(),
  parent_checkpoint_id: z.nullable(z.string()),
  title: z.optional(z.nullable(z.string())),
  next: z.array(z.string()),
  metadata: z.object({
    source: z.optional(z.nullable(z.string())),
    run_id: z.optional(z.nullable(z.string())),
  }),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

export interface CheckpointPage {
  /** Newest first, across all branches. */
  readonly checkpoints: readonly Checkpoint[];
  readonly isLast: boolean;
}

export const stateSchema = z.object({ values: z.object({ messages: z.optional(z.array(z.unknown())) }) });

const modelSchema = z.object({
  name: z.string(),
  display_name: z.optional(z.nullable(z.string())),
  description: z.optional(z.nullable(z.string())),
  supports_thinking: z.optional(z.boolean()),
});
export type Model = z.infer<typeof modelSchema>;
export const modelListSchema = z.object({ models: z.array(modelSchema) });

/** The messages of a thread as they were recorded, with the fields for rating replies. */
export const messagePageSchema = z.object({
  data: z.array(
    z.object({
      run_id: z.string(),
      content: z.unknown(),
      feedback: z.optional(
        z.nullable(
          z.object({ rating: z.union([z.literal(1), z.literal(-1)]), comment: z.nullable(z.string()) }),
        ),
      ),
    }),
  ),
  next_before_seq: z.nullable(z.number()),
});
export type MessagePage = z.infer<typeof messagePageSchema>;

export const replyIdSchema = z.object({ id: z.string() });

/** The last reply of a run, and the person's rating of it. */
export interface ReplyRating {
  readonly replyId: string;
  readonly runId: string;
  readonly rating: { readonly value: 1 | -1; readonly comment: string } | undefined;
}

/** Recorded messages, and the replies among them that can be rated. */
export interface ReplyPage {
  readonly messages: readonly { readonly id: string; readonly runId: string }[];
  readonly replies: readonly ReplyRating[];
  /** The start of the next older page. Null on the oldest one. */
  readonly next: number | null;
}

/** The parts that could not be imported, and why. */
const leftOutSchema = z.array(z.object({ name: z.string(), reason: z.string() }));

export const importedPackageSchema = z.object({
  threads: z.array(z.object({ source_thread_id: z.string(), thread_id: z.string() })),
  runs: z.number(),
  files: z.number(),
  agents: z.array(z.string()),
  agents_left_out: leftOutSchema,
  memory_facts: z.number(),
  memory_left_out: leftOutSchema,
  skills: z.array(z.string()),
  skills_left_out: leftOutSchema,
});
export type ImportedPackage = z.infer<typeof importedPackageSchema>;

export const machineSchema = z.object({
  gaps: z.array(z.object({ message: z.string(), fix: z.string() })),
});
export type Machine = z.infer<typeof machineSchema>;
