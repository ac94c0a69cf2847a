// Quotas of threads and people on disk: the section `workspace:` of the configuration file.
import { z } from 'zod';

export const quotaOptionsSchema = z.strictObject({
  /** The size of one thread's files beyond which nothing more is written to it. */
  thread_quota_mb: z.int().min(1).max(1_073_741_824).default(2_048),
  /** The same for everything of one person, including metadata and what is kept to undo changes. */
  user_quota_mb: z.int().min(1).max(1_073_741_824).default(10_240),
  /** The same in numbers of files and folders. */
  thread_quota_files: z.int().min(1).max(1_000_000_000).default(20_000),
  user_quota_files: z.int().min(1).max(1_000_000_000).default(100_000),
  /** Free space of the disk below which nothing is written. */
  min_free_mb: z.int().min(0).max(1_048_576).default(256),
});

export type QuotaOptions = z.output<typeof quotaOptionsSchema>;
