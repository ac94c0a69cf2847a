// Requests to end runs of this process that another process was asked: found by looking for them.
import type { Log } from '../log.ts';
import type { CancelRequest, RunLeases } from '../storage/run-leases.ts';
import type { CancelTimer, Timers } from '../timers.ts';

interface CancelWatchParts {
  readonly leases: Pick<RunLeases, 'cancelRequests'>;
  readonly leaseOwner: string;
  readonly log: Log;
  readonly timers: Timers;
  /** How many runs this process executes: while there are none nobody looks. */
  readonly active: () => number;
  readonly cancel: (request: CancelRequest) => void;
}

/** A run that was cancelled elsewhere is aborted within a second, renewals of leases come too seldom for that. */
const LOOK_MS = 300;

/** Looks until it is stopped, one look at a time. */
export function watchCancelRequests(parts: CancelWatchParts): CancelTimer {
  let isLooking = false;
  const look = async (): Promise<void> => {
    try {
      for (const request of await parts.leases.cancelRequests(parts.leaseOwner)) parts.cancel(request);
    } catch (error) {
      parts.log.warn({ err: error }, 'requests to cancel runs could not be read; trying again');
    } finally {
      isLooking = false;
    }
  };
  return parts.timers.every(LOOK_MS, () => {
    if (isLooking || parts.active() === 0) return;
    isLooking = true;
    void look();
  });
}
