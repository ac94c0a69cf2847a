// The field `uploaded_files` of the state: what the model was told of uploads, and with which message. And the files that a
// client names with a message. Pure.
import { z } from 'zod';
import type { HumanMessage, JsonObject } from '../../messages/message.ts';

const toldUploadSchema = z.object({
  filename: z.string(),
  size: z.number(),
  path: z.string(),
  extension: z.string(),
  /** Seconds since the epoch. */
  modified: z.number(),
  markdown_path: z.string().optional(),
  /** The message of the person that it came with. */
  message_id: z.string(),
  /** The message before which it was removed, or changed. */
  gone_at: z.string().optional(),
  /** How many more came with the message that have no entry of their own, and what the latest of them was `modified`. */
  more: z.object({ count: z.number(), modified: z.number() }).optional(),
});

/** An entry stays as long as its message: a prompt says of its older messages what it said before. */
export type ToldUpload = z.output<typeof toldUploadSchema>;

const FIELD = 'uploaded_files';
const NONE: readonly ToldUpload[] = [];

const parsed = new WeakMap<object, readonly ToldUpload[]>();

/** In the order in which they were told; what clients wrote of their own is left out. */
export function toldUploads(values: JsonObject): readonly ToldUpload[] {
  const field = values[FIELD];
  if (!Array.isArray(field)) return NONE;
  const known = parsed.get(field);
  if (known !== undefined) return known;
  const told = field.flatMap((entry) => toldUploadSchema.safeParse(entry).data ?? []);
  parsed.set(field, told);
  return told;
}

export function toldValues(told: readonly ToldUpload[]): JsonObject {
  return {
    [FIELD]: told.map(({ markdown_path, gone_at, more, ...rest }) => ({
      ...rest,
      ...(markdown_path !== undefined && { markdown_path }),
      ...(gone_at !== undefined && { gone_at }),
      ...(more !== undefined && { more }),
    })),
  };
}

const attachments = z.array(z.looseObject({ filename: z.string() }));

/** In their order; none where the list is not one of files. */
export function attachedNames({ additional_kwargs }: HumanMessage): readonly string[] {
  const parsed = attachments.safeParse(additional_kwargs.files);
  return parsed.success ? parsed.data.map(({ filename }) => filename) : [];
}
