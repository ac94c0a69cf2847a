// What storage says this process executes, compared with what it does execute.
import type { HeldRun, RunLeases } from '../../storage/run-leases.ts';
import type { RunCancel } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';

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
  /** Asked before anything is let go: what was read may be of a database that has lost what this worker acknowledged. */
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
    // A run that ended while the statement ran may be in its answer or not.
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
  // They came to no end here, because what they said could not be written: another attempt must end them.
  const unended = orphans.filter(({ runId }) => begun.has(runId)).map(({ runId }) => runId);
  if (unended.length > 0) await leases.giveUp(workerId, unended);
  // The answer to their claim was lost: nobody has begun the attempt, so it does not count.
  for (const { runId, attempt } of orphans)
    if (!begun.has(runId)) await leases.release({ workerId, runId, attempt }, now());
}
