// Places held for runs that are being admitted, so that the admission can also claim the run.
import type { RunShares } from '../../storage/run-leases.ts';
import type { AdmissionClaim, RunRecord } from '../../storage/runs.ts';

export interface HeldPlace {
  readonly claim: AdmissionClaim;
  /** Ends the hold, exactly once. The claimed run starts now; without one, the place is free again. */
  settle(claimed: RunRecord | undefined): void;
}

interface Holding extends Pick<AdmissionClaim, 'workerId' | 'epoch'> {
  /** The most runs that a claim in progress may claim. All of them may belong to the user. */
  readonly otherClaims: () => number;
  readonly settled: (claimed: RunRecord | undefined) => void;
}

export class HeldPlaces {
  readonly #turns: RunTurns;
  readonly #held = new Map<string, Promise<void>>();

  constructor(turns: RunTurns) {
    this.#turns = turns;
  }

  get size(): number {
    return this.#held.size;
  }

  has(runId: string): boolean {
    return this.#held.has(runId);
  }

  /** Resolves once it is known whether the run was claimed; immediately if no place is held for it. */
  async settled(runId: string): Promise<void> {
    await this.#held.get(runId);
  }

  async allSettled(): Promise<void> {
    await Promise.all(this.#held.values());
  }

  hold(runId: string, { workerId, epoch, otherClaims, settled }: Holding): HeldPlace {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(runId, promise);
    let counted: Pick<RunRecord, 'userId'> | undefined;
    return {
      claim: {
        workerId,
        epoch,
        hasPlaceFor: (userId) => {
          // The transaction runs again, and the run is already counted.
          if (counted !== undefined) return true;
          if (!this.#turns.hasPlace(userId, otherClaims())) return false;
          counted = { userId };
          this.#turns.count(userId);
          return true;
        },
      },
      settle: (claimed) => {
        this.#held.delete(runId);
        if (counted !== undefined) this.#turns.ended(counted);
        settled(claimed);
        resolve();
      },
    };
  }
}

export type RunTurns = ReturnType<typeof createRunTurns>;

/**
 * Counts how many runs of each user this process executes, and whose turn is next. `perUser` is the number of
 * runs of one user that are executed at the same time.
 */
export function createRunTurns(perUser: number) {
  const running = new Map<string | null, number>();
  let after = '';
  const count = (userId: string | null): void => {
    running.set(userId, (running.get(userId) ?? 0) + 1);
  };
  return {
    /** Returns what a claim needs to know so that users take turns. */
    shares: (): RunShares => ({ perUser, running, after }),
    /** True if the user may have another run here, beside `others` that may also be the user's. */
    hasPlace: (userId: string | null, others: number): boolean =>
      (running.get(userId) ?? 0) + others < perUser,
    /** Counts one more run of the user, out of turn. */
    count,
    took({ userId }: Pick<RunRecord, 'userId'>): void {
      count(userId);
      after = userId ?? after;
    },
    ended({ userId }: Pick<RunRecord, 'userId'>): void {
      const left = (running.get(userId) ?? 1) - 1;
      if (left > 0) running.set(userId, left);
      else running.delete(userId);
    },
  };
}
