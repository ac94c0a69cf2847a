// Runs on their last attempt. One of them may have crashed the process, so each is watched alone for a while.
import type { SuspectLimit } from '../../storage/run-leases.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { Timers } from '../../timers.ts';

export type Suspects = ReturnType<typeof createSuspects>;

/** How long at most a suspect runs alone. A crash of the process usually comes immediately. */
const WATCH_MS = 10_000;

/** Allows one last attempt at a time, so that a crash is not blamed on the wrong run. */
export function createSuspects(maxAttempts: number, { elapsed }: Pick<Timers, 'elapsed'>) {
  const fromAttempt = Math.max(1, maxAttempts - 1);
  let watched: { readonly runId: string; readonly since: number } | undefined;
  return {
    limit(): SuspectLimit {
      const isWatching = watched !== undefined && elapsed() - watched.since < WATCH_MS;
      return { fromAttempt, limit: isWatching ? 0 : 1 };
    },
    /** Reports that the run was claimed. It is watched from now on if it is a suspect. */
    took({ runId, cancel, attempt }: RunRecord): void {
      // A run that only has to be ended cannot crash the process.
      if (cancel === null && attempt > fromAttempt) watched = { runId, since: elapsed() };
    },
    /** Reports that the run got past the step it crashed in, or ended. Returns whether it was watched. */
    acquit(runId: string): boolean {
      if (watched?.runId !== runId) return false;
      watched = undefined;
      return true;
    },
  };
}
