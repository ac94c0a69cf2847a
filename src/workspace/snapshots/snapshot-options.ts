// Snapshots of workspaces: a part of the section `workspace:` of the configuration file.
import { z } from 'zod';

const snapshotOptionsSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** How many points of a thread are kept, and for how many days. The newest one always is. */
  keep: z.int().min(2).max(10_000).default(100),
  days: z.int().min(1).max(3_650).default(30),
  /** Larger files are recorded by their size only and cannot be restored. */
  max_file_mb: z.int().min(1).max(10_240).default(50),
  /** The size of all snapshots of a thread. Contents beyond it are recorded by their size only. */
  max_thread_mb: z.int().min(1).max(1_048_576).default(1_024),
  /** A thread with more files has no snapshots. */
  max_files: z.int().min(1).max(1_000_000).default(20_000),
});

export const workspaceOptionsSchema = z.strictObject({
  snapshots: snapshotOptionsSchema.prefault({}),
});

export type SnapshotOptions = z.output<typeof snapshotOptionsSchema>;
