// How many runs of each user this process executes, and whose turn is next.
import type { RunShares } from '../storage/run-leases.ts';
import type { RunRecord } from '../storage/runs.ts';

export interface RunTurns {
  /** What a claim has to know so that users take turns. */
  shares(): RunShares;
  took(run: RunRecord): void;
  ended(run: RunRecord): void;
}

/** `perUser`: runs of one user that are executed at the same time. */
export function createRunTurns(perUser: number): RunTurns {
  const running = new Map<string | null, number>();
  let after = '';
  return {
    shares: () => ({ perUser, running, after }),
    took({ userId }) {
      running.set(userId, (running.get(userId) ?? 0) + 1);
      after = userId ?? after;
    },
    ended({ userId }) {
      const left = (running.get(userId) ?? 1) - 1;
      if (left > 0) running.set(userId, left);
      else running.delete(userId);
    },
  };
}
