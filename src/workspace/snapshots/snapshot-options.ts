// Snapshots of workspaces: what the configuration file says under `workspace:`.
import { z } from 'zod';

const snapshotOptionsSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** Points of a thread that are kept, and for how many days; the newest one always is. */
  keep: z.int().min(2).max(10_000).default(100),
  days: z.int().min(1).max(3_650).default(30),
  /** Larger files are told by their size only and cannot be restored. */
  max_file_mb: z.int().min(1).max(10_240).default(50),
  /** What all snapshots of a thread may hold; what comes after that is told by its size only. */
  max_thread_mb: z.int().min(1).max(1_048_576).default(1_024),
  /** A thread with more files has no snapshots. */
  max_files: z.int().min(1).max(1_000_000).default(20_000),
});

export const workspaceOptionsSchema = z.strictObject({
  snapshots: snapshotOptionsSchema.prefault({}),
});

export type SnapshotOptions = z.output<typeof snapshotOptionsSchema>;
