// This process as a worker: its id, its lease, and whether it may fence others.
import type { LogFlush } from '../../storage/run-commits.ts';
import type { Workers, WorkerTurn } from '../../storage/run-leases.ts';
import type { Timers } from '../../timers.ts';

export type Worker = ReturnType<typeof createWorker>;

interface WorkerParts {
  readonly workers: Workers;
  readonly newId: () => string;
  readonly leaseMs: number;
  readonly renewalMs: number;
  /** True when this process alone uses the database, so that no other process checks its lease. */
  readonly exclusive: boolean;
  readonly timers: Pick<Timers, 'elapsed'>;
}

export function createWorker(parts: WorkerParts) {
  const { workers, newId, leaseMs, exclusive } = parts;
  const contact = createDatabaseContact(parts);
  let workerId = newId();
  let acknowledged = 0;
  let registered: Promise<void> = Promise.resolve();
  const register = (id: string): Promise<void> => {
    registered = workers.register({ workerId: id, leaseMs }).then(() => contact.renewed());
    return registered;
  };
  return {
    /** Changes after the worker was fenced. */
    get id(): string {
      return workerId;
    },
    register: (): Promise<void> => register(workerId),
    /** Returns what there may be to do; `undefined` if its writes no longer count and it must `startAnew`. */
    async renew(): Promise<WorkerTurn | undefined> {
      // A renewal that overtakes the registration would look fenced. One that failed is repeated by `startAnew`.
      await registered.catch(() => undefined);
      const turn = await (exclusive
        ? workers.current(workerId)
        : workers.renew({ workerId, leaseMs, acknowledged }));
      contact.renewed();
      return turn;
    },
    /** Records a group commit of this worker that is known to be durable. */
    acknowledge(commit: Pick<LogFlush, 'workerId' | 'flush'>): void {
      if (commit.workerId === workerId) acknowledged = commit.flush;
    },
    /** Gives up the old id with everything that belongs to it, and registers under a new one. */
    async startAnew(): Promise<void> {
      // No other process knows of a worker that lost what it acknowledged.
      await workers.retire(workerId);
      const next = newId();
      await register(next);
      // Not earlier: what is written under an id that is not registered yet does not count.
      workerId = next;
      acknowledged = 0;
    },
    /** True when workers whose lease has ended may be fenced now. */
    mayFence: (): boolean => contact.isProven(),
    fenceOthers: (): Promise<void> => workers.fenceOthers(workerId),
    retire: (): Promise<void> => workers.retire(workerId),
  };
}

/**
 * How long this process has been in contact with the database. After an outage, no worker may be given up
 * before all of them had time to renew. Measured with a clock that never jumps. Contact starts again after a
 * gap longer than a late renewal, or when the process stood still. Of the lease, two renewals are left for
 * workers cut off in the middle of one; with the remaining time, a restarted process waits no longer than for
 * its predecessor's lease.
 */
function createDatabaseContact({ leaseMs, renewalMs, timers: { elapsed } }: WorkerParts) {
  const neededMs = Math.max(leaseMs - 2 * renewalMs, 2 * renewalMs);
  const longestGapMs = Math.max(leaseMs - 3 * renewalMs, 1.5 * renewalMs);
  let since: number | undefined;
  let last = 0;

  const isInTouch = (): boolean => since !== undefined && elapsed() - last <= longestGapMs;

  return {
    /** Reports a successful renewal. */
    renewed(): void {
      if (!isInTouch()) since = elapsed();
      last = elapsed();
    },
    /** True when a worker whose lease has ended counts as dead: it could have renewed, as this one could. */
    isProven: (): boolean => isInTouch() && since !== undefined && elapsed() - since >= neededMs,
  };
}
