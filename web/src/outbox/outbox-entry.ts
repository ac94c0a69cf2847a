// A message that the service may not have yet, as this browser keeps it.
import * as z from 'zod/mini';
import { uploadedSchema } from '../api/file-shapes.ts';

const entrySchema = z.object({
  /** Of the message; the key under which it is sent once. */
  id: z.string(),
  threadId: z.string(),
  /** The thread is made with the first message. */
  isNew: z.boolean(),
  text: z.string(),
  files: z.array(uploadedSchema),
  options: z.object({
    agent: z.optional(z.string()),
    model_name: z.optional(z.string()),
    thinking_enabled: z.optional(z.boolean()),
    is_plan_mode: z.optional(z.boolean()),
  }),
  /** Epoch milliseconds. */
  writtenAt: z.number(),
  /** When it was sent for the first time without an answer: it may have arrived. */
  triedAt: z.optional(z.number()),
  /** Its words are being changed. */
  isHeld: z.optional(z.boolean()),
  /** Why the service does not want it. */
  refusal: z.optional(z.string()),
});
export type OutboxEntry = z.infer<typeof entrySchema>;

/** Undefined for what is no entry. */
export function readEntry(text: string | null): OutboxEntry | undefined {
  if (text === null) return undefined;
  try {
    return z.safeParse(entrySchema, JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
