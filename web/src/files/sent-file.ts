// A file that went with a message, as the message tells it.
import * as z from 'zod/mini';
import type { Uploaded } from '../api/file-shapes.ts';

const sentFileSchema = z.object({
  filename: z.string(),
  size: z.number(),
  /** `/mnt/user-data/uploads/...` */
  path: z.string(),
});
export type SentFile = z.infer<typeof sentFileSchema>;

/** What is no file in the list is left out. */
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
