// The bodies that the app reads, as far as it reads them.
import * as z from 'zod/mini';

// The validator may not compile code at run time: the page's security policy forbids it.
z.config({ jitless: true });

export const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  system_role: z.string(),
  needs_setup: z.boolean(),
});
export type User = z.infer<typeof userSchema>;

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
export type Thread = z.infer<typeof threadSchema>;

export const runSchema = z.object({
  run_id: z.string(),
  status: z.string(),
  stop_reason: z.optional(z.nullable(z.string())),
  error: z.optional(z.nullable(z.string())),
});
export type Run = z.infer<typeof runSchema>;

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
  /** Newest first, of all branches. */
  readonly checkpoints: readonly Checkpoint[];
  readonly isLast: boolean;
}

export const stateSchema = z.object({ values: z.object({ messages: z.optional(z.array(z.unknown())) }) });

const modelSchema = z.object({
  name: z.string(),
  display_name: z.optional(z.nullable(z.string())),
  supports_thinking: z.optional(z.boolean()),
});
export type Model = z.infer<typeof modelSchema>;
export const modelListSchema = z.object({ models: z.array(modelSchema) });
