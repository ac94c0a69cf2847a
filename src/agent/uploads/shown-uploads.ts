// The field `uploaded_files` of the state: the uploads that the model was shown, each with its message. Also
// the files that a client names with a message. Pure.
import { z } from 'zod';
import type { HumanMessage, Json, JsonObject } from '../../messages/message.ts';
import { oncePerObject } from '../../messages/once-per-object.ts';

const shownUploadSchema = z.object({
  filename: z.string(),
  size: z.number(),
  path: z.string(),
  extension: z.string(),
  /** Seconds since the epoch. */
  modified: z.number(),
  markdown_path: z.string().optional(),
  /** The message of the person with which it came. */
  message_id: z.string(),
  /** The message before which it was removed or changed. */
  gone_at: z.string().optional(),
  /** How many more came with the message and have no entry, and the latest `modified` of those. */
  more: z.object({ count: z.number(), modified: z.number() }).optional(),
});

/** An entry stays as long as its message: a prompt repeats its older messages unchanged. */
export type ShownUpload = z.output<typeof shownUploadSchema>;

const FIELD = 'uploaded_files';
const NONE: readonly ShownUpload[] = [];

/** Returns the uploads in the order in which they were shown. Entries of another form are ignored. */
export function shownUploads(values: JsonObject): readonly ShownUpload[] {
  const field = values[FIELD];
  return Array.isArray(field) ? uploadsIn(field) : NONE;
}

const uploadsIn = oncePerObject((field: readonly Json[]): readonly ShownUpload[] =>
  field.flatMap((entry) => shownUploadSchema.safeParse(entry).data ?? []),
);

export function uploadValues(shown: readonly ShownUpload[]): JsonObject {
  return {
    [FIELD]: shown.map(({ markdown_path, gone_at, more, ...rest }) => ({
      ...rest,
      ...(markdown_path !== undefined && { markdown_path }),
      ...(gone_at !== undefined && { gone_at }),
      ...(more !== undefined && { more }),
    })),
  };
}

const attachments = z.array(z.looseObject({ filename: z.string() }));

/** Returns the names in order; none when the list is not one of files. */
export function attachedNames({ additional_kwargs }: HumanMessage): readonly string[] {
  const parsed = attachments.safeParse(additional_kwargs.files);
  return parsed.success ? parsed.data.map(({ filename }) => filename) : [];
}
