// How long this process has been in touch with the database: after an outage nobody may be given up before all had
// the time to say that they live.
import type { Timers } from '../../timers.ts';

export interface DatabaseContact {
  /** A renewal went through. */
  renewed(): void;
  /** Whether a worker whose lease has ended may be taken for dead: it could have renewed it, as this one could. */
  isProven(): boolean;
}

interface LeaseTimes {
  readonly leaseMs: number;
  readonly renewalMs: number;
}

/**
 * Measured with a clock that never jumps. Contact that was missed for longer than a renewal may be late begins anew, as does
 * that of a process that stood still. Two renewals of the lease are left for those who were cut off in the middle of one;
 * with the rest of it a process that is started again does not wait longer than for the lease of the one before.
 */
export function createDatabaseContact(
  { leaseMs, renewalMs }: LeaseTimes,
  { elapsed }: Pick<Timers, 'elapsed'>,
): DatabaseContact {
  const neededMs = Math.max(leaseMs - 2 * renewalMs, 2 * renewalMs);
  const longestGapMs = Math.max(leaseMs - 3 * renewalMs, 1.5 * renewalMs);
  let since: number | undefined;
  let last = 0;

  const isInTouch = (): boolean => since !== undefined && elapsed() - last <= longestGapMs;

  return {
    renewed() {
      if (!isInTouch()) since = elapsed();
      last = elapsed();
    },
    isProven: () => isInTouch() && since !== undefined && elapsed() - since >= neededMs,
  };
}
