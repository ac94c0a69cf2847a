// The files of a thread around a run. Runs decide when to keep or restore them; the implementation knows how.
import type { Log } from '../../log.ts';
import type { CheckpointRecord } from '../../storage/checkpoints.ts';
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

type CheckpointPlace = Pick<CheckpointRecord, 'checkpointId' | 'createdAt'>;

export const NO_RUN_FILES: RunFiles = {
  remember: async () => {},
  settle: async () => {},
  rollBack: async () => {},
  goBackTo: async () => {},
};

/** The files during one attempt of a run. No run fails because its files could not be remembered. */
export type AttemptFiles = ReturnType<typeof filesOfAttempt>;

/** Most runs change no file, so a first attempt that remembered nothing has nothing to compare at its end. */
export function filesOfAttempt(
  { files, log }: { readonly files: RunFiles; readonly log: Log },
  { run, isNew }: { readonly run: RunPlace; readonly isNew: boolean },
) {
  let mayBeRemembered = !isNew;
  let remembering: Promise<void> | undefined;
  const forgiving = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (err) {
      log.warn({ err, runId: run.runId }, 'the files of a run could not be saved or restored');
    }
  };
  return {
    /** Concurrent calls wait for the same promise. */
    remember(): Promise<void> {
      mayBeRemembered = true;
      remembering ??= forgiving(() => files.remember(run));
      return remembering;
    },
    async settle(checkpointId: string | null): Promise<void> {
      if (mayBeRemembered) await forgiving(() => files.settle(run, checkpointId));
    },
    async rollBack(): Promise<void> {
      if (mayBeRemembered) await forgiving(() => files.rollBack(run));
    },
    goBackTo(checkpoint: CheckpointPlace): Promise<void> {
      mayBeRemembered = true;
      return forgiving(() => files.goBackTo(run, checkpoint));
    },
  };
}
