// The files of a thread around a run. Runs decide when to keep or restore them; the implementation knows how.
import type { Log } from '../../log.ts';
import type { RunRecord } from '../../storage/runs.ts';

type RunPlace = Pick<RunRecord, 'runId' | 'threadId' | 'userId'>;

export interface RunFiles {
  /** Remembers the files before the first tool with an effect; later calls for the same run do nothing. */
  remember(run: RunPlace): Promise<void>;
  /** Settles the files of an ended run at its last checkpoint. Does nothing unless `remember` was called. */
  settle(run: RunPlace, checkpointId: string | null): Promise<void>;
  /** Restores the files to before the run. Does nothing unless `remember` was called for it. */
  rollBack(run: RunPlace): Promise<void>;
  /** Restores the files to a checkpoint, as far as they are known. */
  goBackTo(run: RunPlace, checkpoint: CheckpointPlace): Promise<void>;
}

interface CheckpointPlace {
  readonly checkpointId: string;
  readonly createdAt: number;
}

export const NO_RUN_FILES: RunFiles = {
  remember: async () => {},
  settle: async () => {},
  rollBack: async () => {},
  goBackTo: async () => {},
};

export interface AttemptFiles {
  remember(): Promise<void>;
  settle(checkpointId: string | null): Promise<void>;
  rollBack(): Promise<void>;
  goBackTo(checkpoint: CheckpointPlace): Promise<void>;
}

/** Most runs change no file, so a first attempt that remembered nothing has nothing to compare at its end. */
export function filesOfAttempt(
  files: RunFiles,
  { run, isNew }: { readonly run: RunPlace; readonly isNew: boolean },
): AttemptFiles {
  let mayBeRemembered = !isNew;
  let remembering: Promise<void> | undefined;
  return {
    // Concurrent calls wait for the same promise.
    remember() {
      mayBeRemembered = true;
      remembering ??= files.remember(run);
      return remembering;
    },
    async settle(checkpointId) {
      if (mayBeRemembered) await files.settle(run, checkpointId);
    },
    async rollBack() {
      if (mayBeRemembered) await files.rollBack(run);
    },
    goBackTo(checkpoint) {
      mayBeRemembered = true;
      return files.goBackTo(run, checkpoint);
    },
  };
}

/** Logs failures instead of throwing them: no run fails because its files could not be remembered. */
export function forgivingRunFiles(files: RunFiles, log: Log): RunFiles {
  const forgiving = async (run: RunPlace, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (err) {
      log.warn({ err, runId: run.runId }, 'the files of a run could not be saved or restored');
    }
  };
  return {
    remember: (run) => forgiving(run, () => files.remember(run)),
    settle: (run, checkpointId) => forgiving(run, () => files.settle(run, checkpointId)),
    rollBack: (run) => forgiving(run, () => files.rollBack(run)),
    goBackTo: (run, checkpoint) => forgiving(run, () => files.goBackTo(run, checkpoint)),
  };
}
