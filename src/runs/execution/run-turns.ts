// How many runs of each user this process executes, and whose turn is next.
import type { RunShares } from '../../storage/run-leases.ts';
import type { RunRecord } from '../../storage/runs.ts';

export interface RunTurns {
  /** What a claim has to know so that users take turns. */
  shares(): RunShares;
  /** Whether the user may have another run here beside `others` that may be the user's, too. */
  hasRoom(userId: string | null, others: number): boolean;
  /** One more run of the user, whose turn it was not. */
  count(userId: string | null): void;
  took(run: Pick<RunRecord, 'userId'>): void;
  ended(run: Pick<RunRecord, 'userId'>): void;
}

/** `perUser`: runs of one user that are executed at the same time. */
export function createRunTurns(perUser: number): RunTurns {
  const running = new Map<string | null, number>();
  let after = '';
  const count = (userId: string | null): void => {
    running.set(userId, (running.get(userId) ?? 0) + 1);
  };
  return {
    shares: () => ({ perUser, running, after }),
    hasRoom: (userId, others) => (running.get(userId) ?? 0) + others < perUser,
    count,
    took({ userId }) {
      count(userId);
      after = userId ?? after;
    },
    ended({ userId }) {
      const left = (running.get(userId) ?? 1) - 1;
      if (left > 0) running.set(userId, left);
      else running.delete(userId);
    },
  };
}
