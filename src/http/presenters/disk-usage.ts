// What files take on disk, and what they may take, as clients see it.
import { z } from 'zod';
import type { DiskUsage } from '../../workspace/quota/disk-use.ts';

export const diskUsageSchema = z
  .object({
    bytes: z.int().meta({ description: 'Of the files of this thread, as counted within the last minute' }),
    limit: z.int().meta({ description: 'Bytes that they may take before nothing more is written' }),
    user_bytes: z.int().nullable().meta({
      description: 'Of everything that the user has, what is kept to undo changes and metadata included',
    }),
    user_limit: z.int().nullable(),
    files: z.int().meta({ description: 'Files and folders of this thread, counted like its bytes' }),
    file_limit: z.int().meta({ description: 'How many the thread may have before nothing more is written' }),
    user_files: z.int().nullable(),
    user_file_limit: z.int().nullable(),
  })
  .meta({ id: 'DiskUsage' });

export function presentDiskUsage({ thread, user }: DiskUsage): z.output<typeof diskUsageSchema> {
  return {
    bytes: thread.used.bytes,
    limit: thread.limit.bytes,
    user_bytes: user?.used.bytes ?? null,
    user_limit: user?.limit.bytes ?? null,
    files: thread.used.entries,
    file_limit: thread.limit.entries,
    user_files: user?.used.entries ?? null,
    user_file_limit: user?.limit.entries ?? null,
  };
}
