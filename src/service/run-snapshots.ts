// Takes snapshots before a run changes files and after it ends, and restores them on a rollback.
import type { RunFiles } from '../runs/execution/run-files.ts';
import type { Snapshots } from '../workspace/snapshots/snapshots.ts';

export function runSnapshots(snapshots: Snapshots): RunFiles {
  const remember: RunFiles['remember'] = async (run) => {
    const { runId } = run;
    if (await snapshots.hasBefore(run, runId)) return;
    await snapshots.take(run, { kind: 'run_start', runId, checkpointId: null });
  };
  return {
    remember,
    async settle(run, checkpointId) {
      const { runId } = run;
      if (!(await snapshots.hasBefore(run, runId))) return;
      await snapshots.take(run, { kind: 'run_end', runId, checkpointId });
    },
    async rollBack(run) {
      const { runId } = run;
      if (await snapshots.hasBefore(run, runId)) await snapshots.restore(run, { kind: 'before_run', runId });
    },
    async goBackTo(run, { checkpointId, createdAt }) {
      const moment = { kind: 'checkpoint', checkpointId, createdAt } as const;
      if (!(await snapshots.knows(run, moment))) return;
      // A rollback of the run also undoes this restore.
      await remember(run);
      await snapshots.restore(run, moment);
    },
  };
}
