// Runs on their last attempt: one of them may be what took the process down, so each is watched alone for a while.
import type { SuspectLimit } from '../../storage/run-leases.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { Timers } from '../../timers.ts';

export interface Suspects {
  /** How many may be taken up now. */
  limit(): SuspectLimit;
  /** The run was taken up; it is watched from now on if it is a suspect. */
  took(run: RunRecord): void;
  /** The run got past the step that it died in, or has ended. Returns whether it was watched. */
  acquit(runId: string): boolean;
}

/** How long a suspect is the only one, at most; what takes the process down usually does so at once. */
const WATCH_MS = 10_000;

/**
 * The last attempt of a run is made beside no other last attempt: when the process dies of one of them, the others are
 * not taken for its cause. `maxAttempts` is how often a run is tried.
 */
export function createSuspects(maxAttempts: number, { elapsed }: Pick<Timers, 'elapsed'>): Suspects {
  const fromAttempt = Math.max(1, maxAttempts - 1);
  let watched: { readonly runId: string; readonly since: number } | undefined;
  return {
    limit() {
      const isWatching = watched !== undefined && elapsed() - watched.since < WATCH_MS;
      return { fromAttempt, limit: isWatching ? 0 : 1 };
    },
    took({ runId, cancel, attempt }) {
      // A run that only has to be ended cannot crash the process.
      if (cancel === null && attempt > fromAttempt) watched = { runId, since: elapsed() };
    },
    acquit(runId) {
      if (watched?.runId !== runId) return false;
      watched = undefined;
      return true;
    },
  };
}
