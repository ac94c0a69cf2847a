// This process as one that executes runs: its id, its lease, and whether it may take others for dead.
import type { LogFlush } from '../../storage/run-commits.ts';
import type { Workers, WorkerTurn } from '../../storage/run-leases.ts';
import type { Timers } from '../../timers.ts';

export interface Worker {
  /** Another one after it was fenced. */
  readonly id: string;
  register(): Promise<void>;
  /** What there may be to do; `undefined`: what it writes counts no more, and `startAnew` gives it another id. */
  renew(): Promise<WorkerTurn | undefined>;
  /** Notes the group commit of this worker that is known to be durable. */
  acknowledge(commit: Pick<LogFlush, 'workerId' | 'flush'>): void;
  /** Gives the old id up, with all that is its own, and registers under a new one. */
  startAnew(): Promise<void>;
  /** Whether those whose lease has ended may be fenced now. */
  mayFence(): boolean;
  /** Fences all others at once. */
  fenceOthers(): Promise<void>;
  retire(): Promise<void>;
}

interface WorkerParts {
  readonly workers: Workers;
  readonly newId: () => string;
  readonly leaseMs: number;
  readonly renewalMs: number;
  /** The process alone works on the database: nobody asks for its lease. */
  readonly exclusive: boolean;
  readonly timers: Pick<Timers, 'elapsed'>;
}

export function createWorker(parts: WorkerParts): Worker {
  const { workers, newId, leaseMs, renewalMs, exclusive, timers } = parts;
  const contact = createDatabaseContact({ leaseMs, renewalMs }, timers);
  let workerId = newId();
  let acknowledged = 0;
  const register = async (id: string): Promise<void> => {
    await workers.register({ workerId: id, leaseMs });
    contact.renewed();
  };
  return {
    get id() {
      return workerId;
    },
    register: () => register(workerId),
    async renew() {
      const turn = await (exclusive
        ? workers.current(workerId)
        : workers.renew({ workerId, leaseMs, acknowledged }));
      contact.renewed();
      return turn;
    },
    acknowledge(commit) {
      if (commit.workerId === workerId) acknowledged = commit.flush;
    },
    async startAnew() {
      // Of one that lost what it acknowledged nobody else knows it.
      await workers.retire(workerId);
      const next = newId();
      await register(next);
      // Not before: a renewal of an id that is not registered yet would take it for fenced.
      workerId = next;
      acknowledged = 0;
    },
    mayFence: () => contact.isProven(),
    fenceOthers: () => workers.fenceOthers(workerId),
    retire: () => workers.retire(workerId),
  };
}

/**
 * How long this process has been in touch with the database: after an outage nobody may be given up before all had
 * the time to say that they live.
 */
interface DatabaseContact {
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
function createDatabaseContact(
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
