// Puts the parts together that are about the files of threads.
import type { ArtifactRouteDependencies } from './http/routes/artifacts.ts';
import type { WorkspaceRouteDependencies } from './http/routes/workspace.ts';
import type { RunFiles } from './runs/execution/run-files.ts';
import type { ThreadStateService } from './threads/thread-state-service.ts';
import { createArtifacts } from './workspace/artifacts/artifacts.ts';
import { createImageStore, type ImageStore } from './workspace/images/image-store.ts';
import type { DiskUseOf } from './workspace/quota/disk-use.ts';
import type { SnapshotOptions } from './workspace/snapshots/snapshot-options.ts';
import { createSnapshots, type Snapshots } from './workspace/snapshots/snapshots.ts';
import type { WorkspaceFilesOf } from './workspace/workspace-files.ts';

interface FileRoomParts {
  readonly dataHome: string;
  readonly diskUseOf: DiskUseOf;
  readonly workspace: WorkspaceFilesOf;
  readonly threadStates: Pick<ThreadStateService, 'show'>;
  readonly options: SnapshotOptions;
  readonly now: () => number;
  readonly newId: () => string;
}

interface FileRoom {
  /** Absent when nothing is remembered of files. */
  readonly runFiles: { readonly files?: RunFiles };
  readonly images: ImageStore;
  readonly routes: ArtifactRouteDependencies & WorkspaceRouteDependencies;
}

export function createFileRoom(parts: FileRoomParts): FileRoom {
  const { dataHome, diskUseOf, workspace, threadStates, options } = parts;
  const snapshots = createSnapshots(parts);
  return {
    runFiles: options.enabled ? { files: runFilesOf(snapshots) } : {},
    images: createImageStore(parts),
    routes: {
      artifacts: createArtifacts({ dataHome }),
      diskUseOf,
      showThreadState: threadStates.show,
      snapshots,
      workspace,
    },
  };
}

function runFilesOf(snapshots: Snapshots): RunFiles {
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
      // A rollback of the run undoes this, too.
      await remember(run);
      await snapshots.restore(run, moment);
    },
  };
}
