// Limits of imports: what the configuration file says under `import:`.
import { z } from 'zod';

export const transferOptionsSchema = z.strictObject({
  /** Largest package that is read. */
  max_package_mb: z.int().min(1).max(1_048_576).default(1_024),
  /** What a package may be unpacked, all together. */
  max_unpacked_mb: z.int().min(1).max(4_194_304).default(4_096),
  /** How many times larger than itself a package of more than 100 MB may be unpacked. */
  max_ratio: z.int().min(1).max(1_000).default(200),
  /** Threads and files in a package. */
  max_entries: z.int().min(2).max(10_000_000).default(200_000),
  /** Longest line: a change of a thread's state, or one event. */
  max_line_mb: z.int().min(1).max(512).default(32),
});

export type TransferOptions = z.output<typeof transferOptionsSchema>;
