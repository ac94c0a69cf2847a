// Requests to end runs of this process that another process was asked.
import type { Log } from '../../log.ts';
import type { CancelRequest, RunLeases } from '../../storage/run-leases.ts';
import type { Timers } from '../../timers.ts';

interface CancelWatchParts {
  readonly leases: Pick<RunLeases, 'cancelRequests'>;
  readonly workerId: () => string;
  readonly log: Log;
  readonly timers: Timers;
  /** How many runs this process executes: while there are none nobody looks. */
  readonly active: () => number;
  /** Whether the other process says so. Without that they are found by looking for them. */
  readonly isTold: () => boolean;
  readonly cancel: (request: CancelRequest) => void;
}

export interface CancelWatch {
  /** Looks now, and once more when it is looking. */
  look(): void;
  stop(): void;
}

/** A run that was cancelled elsewhere is aborted within a second, renewals of leases come too seldom for that. */
const LOOK_MS = 300;

/** Looks when it is told to, or nobody would tell it, until it is stopped; one look at a time. */
export function watchCancelRequests(parts: CancelWatchParts): CancelWatch {
  let isLooking = false;
  let isAsked = false;
  const read = async (): Promise<void> => {
    try {
      for (const request of await parts.leases.cancelRequests(parts.workerId())) parts.cancel(request);
    } catch (error) {
      parts.log.warn({ err: error }, 'requests to cancel runs could not be read; trying again');
    }
  };
  const look = (): void => {
    isAsked = true;
    if (isLooking) return;
    isLooking = true;
    const goOn = async (): Promise<void> => {
      while (isAsked && parts.active() > 0) {
        isAsked = false;
        await read();
      }
      isLooking = false;
    };
    void goOn();
  };
  const stop = parts.timers.every(LOOK_MS, () => {
    if (!isLooking && !parts.isTold() && parts.active() > 0) look();
  });
  return { look, stop };
}
