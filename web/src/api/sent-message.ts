// A message of a person with its files, in the format of the service.
import * as z from 'zod/mini';
import type { Uploaded } from './file-shapes.ts';

const sentFileSchema = z.object({
  filename: z.string(),
  size: z.number(),
  /** `/mnt/user-data/uploads/...` */
  path: z.string(),
});
export type SentFile = z.infer<typeof sentFileSchema>;

/** Returns the sent files. Skips entries that are not files. */
export function readSentFiles(list: unknown): readonly SentFile[] {
  const parsed = z.safeParse(z.array(z.unknown()), list);
  if (!parsed.success) return [];
  return parsed.data.flatMap((it) => {
    const file = z.safeParse(sentFileSchema, it);
    return file.success ? [file.data] : [];
  });
}

export function toSentFile({ filename, size, virtual_path: path }: Uploaded): SentFile {
  return { filename, size, path };
}

/** A text and its files. */
export interface MessageContent {
  readonly text: string;
  readonly files: readonly SentFile[];
}

export interface SentMessage {
  readonly type: 'human';
  /** Chosen by this page, so that the message keeps its identity on the screen and when it is sent again. */
  readonly id: string;
  readonly content: string;
  readonly additional_kwargs?: {
    readonly files: readonly (SentFile & { readonly status: 'uploaded' })[];
  };
}

export function newMessageId(): string {
  return `m-${randomId()}`;
}

export function newMessage({ text, files }: MessageContent, id = newMessageId()): SentMessage {
  const message = { type: 'human', id, content: text } as const;
  if (files.length === 0) return message;
  const named = files.map((file) => ({ ...file, status: 'uploaded' }) as const);
  return { ...message, additional_kwargs: { files: named } };
}

/** Returns 32 hexadecimal digits. `randomUUID` exists only on secure origins. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
