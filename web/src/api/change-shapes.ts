// The bodies about changes of files that the app reads.
import * as z from 'zod/mini';

const changeSchema = z.object({
  /** `/mnt/user-data/...` */
  path: z.string(),
  change: z.enum(['created', 'modified', 'deleted']),
  /** Unified; null when `diff_omitted` says why. */
  diff: z.nullable(z.string()),
  diff_omitted: z.nullable(z.enum(['binary', 'too_large', 'not_kept'])),
});
export type FileChange = z.infer<typeof changeSchema>;

export const changesSchema = z.object({ changes: z.array(changeSchema), total: z.number() });
export type RunChanges = z.infer<typeof changesSchema>;

export const restoredSchema = z.object({
  written: z.array(z.string()),
  removed: z.array(z.string()),
  /** Could not be put back. */
  left: z.array(z.string()),
  undo_point: z.number(),
});
export type Restored = z.infer<typeof restoredSchema>;

/** What files are made again: those before a run, or those before an earlier restoring, undone or done again. */
export type Moment =
  | { readonly kind: 'before_run'; readonly runId: string }
  | { readonly kind: 'point' | 'again'; readonly point: number };
