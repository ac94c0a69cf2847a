// What storage says of the runs of this process: which of them it still executes, and which another process was asked
// to end.

import type { Log } from '../../log.ts';
import type { CancelRequest, HeldRun, RunLeases } from '../../storage/run-leases.ts';
import type { RunCancel } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { Timers } from '../../timers.ts';

interface ComparedParts {
  readonly workerId: string;
  readonly leases: Pick<RunLeases, 'held' | 'giveUp' | 'release'>;
  readonly runs: Pick<Repositories['runs'], 'get'>;
  readonly now: () => number;
  /** Ids of the runs that are executed at this moment. */
  readonly active: () => ReadonlySet<string>;
  /** Those that were begun under this worker; loses the ones that are no longer its own. */
  readonly begun: Set<string>;
  /** Whether the run is just being admitted: it begins when its admission is known to be durable. */
  readonly isAdmitted: (runId: string) => boolean;
  /** Asked before anything is released: the database that was read may have lost what this worker acknowledged. */
  readonly isWorking: () => Promise<boolean>;
  readonly onCancelled: (runId: string, stopReason: RunCancel['stopReason']) => void;
  readonly onLost: (runId: string) => void;
}

/**
 * Ends the execution of runs that were cancelled, or that are no longer this worker's, and lets go of those that are its
 * own without being executed: how many.
 */
export async function compareRuns(parts: ComparedParts): Promise<number> {
  const { workerId, leases, active, begun, isAdmitted, onCancelled } = parts;
  const held = await leases.held(workerId);
  const kept = new Set(held.map(({ runId }) => runId));
  for (const { runId, stopReason } of held) if (stopReason !== null) onCancelled(runId, stopReason);
  for (const runId of active()) {
    // A run that ended while the statement ran may or may not be in its result.
    if (!kept.has(runId)) await checkLost(parts, runId);
  }
  const executed = active();
  const orphans = held.filter(({ runId }) => !executed.has(runId) && !isAdmitted(runId));
  const letsGo = orphans.length > 0 && (await parts.isWorking());
  if (letsGo) await letGo(parts, orphans);
  for (const runId of begun) if (!kept.has(runId)) begun.delete(runId);
  return letsGo ? orphans.length : 0;
}

async function checkLost({ runs, workerId, active, onLost }: ComparedParts, runId: string): Promise<void> {
  const run = await runs.get(runId);
  const isOwn = run?.status === 'running' && run.leaseOwner === workerId;
  if (!isOwn && active().has(runId)) onLost(runId);
}

async function letGo(
  { workerId, leases, begun, now }: ComparedParts,
  orphans: readonly HeldRun[],
): Promise<void> {
  // Their end could not be written here, so another attempt must end them.
  const unended = orphans.filter(({ runId }) => begun.has(runId)).map(({ runId }) => runId);
  if (unended.length > 0) await leases.giveUp(workerId, unended);
  // The answer to their claim was lost: nobody has begun the attempt, so it does not count.
  for (const { runId, attempt } of orphans)
    if (!begun.has(runId)) await leases.release({ workerId, runId, attempt }, now());
}

interface CancelWatchParts {
  readonly leases: Pick<RunLeases, 'cancelRequests'>;
  readonly workerId: () => string;
  readonly log: Log;
  readonly timers: Timers;
  /** The number of runs that this process executes; without any, nothing is polled. */
  readonly active: () => number;
  /** Whether notices of other processes arrive. Without them, requests are found by polling. */
  readonly isNotified: () => boolean;
  readonly cancel: (request: CancelRequest) => void;
}

/** Requests to end runs of this process that another process was asked. */
export interface CancelWatch {
  /** Checks now; once more when a check is already running. */
  check(): void;
  stop(): void;
}

/** A run that was cancelled elsewhere is aborted within a second, renewals of leases come too seldom for that. */
const CHECK_MS = 300;

/** Checks when it is notified, or periodically when no notices arrive, until it is stopped; one check at a time. */
export function watchCancelRequests(parts: CancelWatchParts): CancelWatch {
  let isChecking = false;
  let isAsked = false;
  const read = async (): Promise<void> => {
    try {
      for (const request of await parts.leases.cancelRequests(parts.workerId())) parts.cancel(request);
    } catch (error) {
      parts.log.warn({ err: error }, 'requests to cancel runs could not be read; trying again');
    }
  };
  const check = (): void => {
    isAsked = true;
    if (isChecking) return;
    isChecking = true;
    const goOn = async (): Promise<void> => {
      while (isAsked && parts.active() > 0) {
        isAsked = false;
        await read();
      }
      isChecking = false;
    };
    void goOn();
  };
  const stop = parts.timers.every(CHECK_MS, () => {
    if (!isChecking && !parts.isNotified() && parts.active() > 0) check();
  });
  return { check, stop };
}
