// Limits of uploads: what the configuration file says under `uploads:`.
import { z } from 'zod';
import { conversionOptionsSchema } from '../convert/conversion-options.ts';

export const uploadOptionsSchema = z.strictObject({
  /** Files in one request. */
  max_files: z.int().min(1).max(1_000).default(10),
  /** One file, in MiB. */
  max_file_mb: z.int().min(1).max(1_048_576).default(50),
  /** All files of one request together, in MiB. */
  max_total_mb: z.int().min(1).max(1_048_576).default(100),
  /** How documents are made Markdown. */
  conversion: conversionOptionsSchema.prefault({}),
});

export type UploadOptions = z.output<typeof uploadOptionsSchema>;
