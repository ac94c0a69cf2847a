// The calls about what runs did to files, and about going back.
import { type Call, read, threadPath } from './call.ts';
import {
  changesSchema,
  type Moment,
  type Restored,
  type RunChanges,
  restoredSchema,
} from './change-shapes.ts';

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
