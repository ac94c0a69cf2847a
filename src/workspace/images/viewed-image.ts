// An image that an agent viewed: its path and hash. The bytes are saved beside the thread's files.
import { z } from 'zod';

export const viewedImageSchema = z.object({
  /** The virtual path. */
  path: z.string(),
  mime_type: z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif']),
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  width: z.int(),
  height: z.int(),
});

export type ViewedImage = z.output<typeof viewedImageSchema>;
