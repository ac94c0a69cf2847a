// Compares storage with the runs of this process: which of them it still holds, and which another process was
// asked to end.
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
  readonly active: () => ReadonlySet<string>;
  /** Runs started under this worker. Those that are no longer its own are removed. */
  readonly begun: Set<string>;
  /** True while the run is being admitted. It starts once its admission is durable. */
  readonly isAdmitted: (runId: string) => boolean;
  /** Checked before a release: the database that was read may have lost what this worker acknowledged. */
  readonly isWorking: () => Promise<boolean>;
  readonly onCancelled: (runId: string, stopReason: RunCancel['stopReason']) => void;
  readonly onLost: (runId: string) => void;
}

/**
 * Ends cancelled and lost runs, and releases this worker's runs that it does not execute. Returns how many it
 * released.
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
  // This worker failed to write their end, so another attempt must.
  const unended = orphans.filter(({ runId }) => begun.has(runId)).map(({ runId }) => runId);
  if (unended.length > 0) await leases.giveUp(workerId, unended);
  // The response to their claim was lost. The attempt never began, so it does not count.
  for (const { runId, attempt } of orphans)
    if (!begun.has(runId)) await leases.release({ workerId, runId, attempt }, now());
}

interface CancelWatchParts {
  readonly leases: Pick<RunLeases, 'cancelRequests'>;
  readonly workerId: () => string;
  readonly log: Log;
  readonly timers: Timers;
  /** The number of runs that this process executes. Nothing is polled while there are none. */
  readonly active: () => number;
  /** True when notices of other processes arrive. Otherwise, requests are found by polling. */
  readonly isNotified: () => boolean;
  readonly cancel: (request: CancelRequest) => void;
}

/** Watches for requests to end runs of this process that another process received. */
export type CancelWatch = ReturnType<typeof watchCancelRequests>;

/** A run cancelled elsewhere is aborted within a second. Renewals of leases are too rare for that. */
const CHECK_MS = 300;

/** Checks when notified, or periodically while no notices arrive, until stopped. Checks never overlap. */
export function watchCancelRequests(parts: CancelWatchParts) {
  let isChecking = false;
  let isAsked = false;
  const read = async (): Promise<void> => {
    try {
      for (const request of await parts.leases.cancelRequests(parts.workerId())) parts.cancel(request);
    } catch (error) {
      parts.log.warn({ err: error }, 'requests to cancel runs could not be read; trying again');
    }
  };
  /** Checks now, and once more when a check is already running. */
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
