// What becomes of a thread's files around a run: runs say when, whoever keeps the files knows how.
import type { Log } from '../../log.ts';
import type { RunRecord } from '../../storage/runs.ts';

type RunPlace = Pick<RunRecord, 'runId' | 'threadId' | 'userId'>;

export interface RunFiles {
  /** Remembers the files before the first tool with an effect; later calls for the same run do nothing. */
  remember(run: RunPlace): Promise<void>;
  /** The run is over, with the lead agent at this checkpoint. Nothing unless `remember` was called for it. */
  settle(run: RunPlace, checkpointId: string | null): Promise<void>;
  /** Makes the files what they were before the run; nothing unless `remember` was called for it. */
  rollBack(run: RunPlace): Promise<void>;
  /** Makes the files what they were at a checkpoint, as far as that is known. */
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

/** The files around one attempt of a run. */
export interface AttemptFiles {
  remember(): Promise<void>;
  settle(checkpointId: string | null): Promise<void>;
  rollBack(): Promise<void>;
  goBackTo(checkpoint: CheckpointPlace): Promise<void>;
}

/** Most runs change no file: a first attempt that remembered nothing has nothing to compare at its end. */
export function filesOfAttempt(
  files: RunFiles,
  { run, isNew }: { readonly run: RunPlace; readonly isNew: boolean },
): AttemptFiles {
  let mayBeRemembered = !isNew;
  let remembering: Promise<void> | undefined;
  return {
    // Calls that begin at the same time wait for the same.
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

/** No run fails because its files could not be remembered: it is logged, and the run goes on. */
export function forgivingRunFiles(files: RunFiles, log: Log): RunFiles {
  const forgiving = async (run: RunPlace, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (err) {
      log.warn({ err, runId: run.runId }, 'the files of a run could not be kept or put back');
    }
  };
  return {
    remember: (run) => forgiving(run, () => files.remember(run)),
    settle: (run, checkpointId) => forgiving(run, () => files.settle(run, checkpointId)),
    rollBack: (run) => forgiving(run, () => files.rollBack(run)),
    goBackTo: (run, checkpoint) => forgiving(run, () => files.goBackTo(run, checkpoint)),
  };
}
