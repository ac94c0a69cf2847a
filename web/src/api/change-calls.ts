// The calls about the changes that runs made to the files of a thread.
import * as z from 'zod/mini';
import { type Call, read, threadPath } from './call.ts';

const changeSchema = z.object({
  /** `/mnt/user-data/...` */
  path: z.string(),
  change: z.enum(['created', 'modified', 'deleted']),
  /** Unified. Null when `diff_omitted` gives the reason. */
  diff: z.nullable(z.string()),
  diff_omitted: z.nullable(z.enum(['binary', 'too_large', 'not_kept'])),
});
export type FileChange = z.infer<typeof changeSchema>;

const changesSchema = z.object({ changes: z.array(changeSchema), total: z.number() });
export type RunChanges = z.infer<typeof changesSchema>;

const restoredSchema = z.object({
  written: z.array(z.string()),
  removed: z.array(z.string()),
  /** The paths of the files that could not be restored. */
  left: z.array(z.string()),
  undo_point: z.number(),
});
export type Restored = z.infer<typeof restoredSchema>;

/** Which state of the files to restore: the one before a run, or the one before an earlier restore. */
export type Moment =
  | { readonly kind: 'before_run'; readonly runId: string }
  | { readonly kind: 'point' | 'again'; readonly point: number };

export function createChangeCalls(call: Call) {
  return {
    runChanges: async (threadId: string, runId: string): Promise<RunChanges> =>
      read(
        await call('GET', `${threadPath(threadId)}/runs/${encodeURIComponent(runId)}/workspace-changes`),
        changesSchema,
      ),
    restoreFiles: async (threadId: string, moment: Moment): Promise<Restored> =>
      read(
        await call(
          'POST',
          `${threadPath(threadId)}/workspace/restore`,
          moment.kind === 'before_run' ? { run_id: moment.runId } : { point: moment.point },
        ),
        restoredSchema,
      ),
  };
}
