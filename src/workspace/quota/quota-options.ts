// What threads and people may have on disk: what the configuration file says under `workspace:`.
import { z } from 'zod';

export const quotaOptionsSchema = z.strictObject({
  /** What the files of one thread may take before nothing more is written to it. */
  thread_quota_mb: z.int().min(1).max(1_073_741_824).default(2_048),
  /** The same for everything that one person has, what is kept to undo changes and metadata included. */
  user_quota_mb: z.int().min(1).max(1_073_741_824).default(10_240),
  /** The same in number of files and folders. */
  thread_quota_files: z.int().min(1).max(1_000_000_000).default(20_000),
  user_quota_files: z.int().min(1).max(1_000_000_000).default(100_000),
  /** Free space of the disk below which nothing is written. */
  min_free_mb: z.int().min(0).max(1_048_576).default(256),
});

export type QuotaOptions = z.output<typeof quotaOptionsSchema>;
