// Which process executes a run, and the processes that do. Rows decide it, so one process and a cluster work
// the same way.
import type { RunCancel, RunRecord } from './runs.ts';

/**
 * Runs that were claimed `fromAttempt` times or more without ending are suspects. At most `limit` of them may
 * be claimed now.
 */
export interface SuspectLimit {
  readonly fromAttempt: number;
  readonly limit: number;
}

/** How users share the capacity of a process. */
export interface RunShares {
  /** Most runs of one user. */
  readonly perUser: number;
  /** Number of runs executed already, by user. Users without any are absent. */
  readonly running: ReadonlyMap<string | null, number>;
  /** The user who had the last turn. Turns continue after it, in the order of the ids. */
  readonly after: string;
}

export interface RunClaim {
  /** A registered worker that is not fenced. Any other gets nothing. */
  readonly workerId: string;
  /** The time to record and show. No decision depends on it. */
  readonly now: number;
  /** The name of the epochs that begin with this claim: letters and digits, never reused. */
  readonly epoch: string;
  /** True to fence workers whose lease has ended, so that their runs can be claimed too. */
  readonly fencesExpired?: boolean;
  /**
   * Absent: the oldest runs are claimed, whatever their users. Runs that only need to be cancelled are
   * claimed beyond a share when they are requested by id.
   */
  readonly shares?: RunShares;
  /** Absent: all runs are treated alike. Runs that only need to be cancelled are never suspects. */
  readonly suspects?: SuspectLimit;
}

export interface ClaimedRun extends RunRecord {
  /** True when no worker has claimed it before. */
  readonly isNew: boolean;
}

/** A run that belongs to a worker. */
export interface HeldRun {
  readonly runId: string;
  readonly attempt: number;
  /** The stop reason of the cancel request; `null` without one. */
  readonly stopReason: RunCancel['stopReason'] | null;
}

/**
 * An attempt that is handed back does not count, so the next one may have the same number. The worker
 * distinguishes them.
 */
interface HeldAttempt extends Pick<HeldRun, 'runId' | 'attempt'> {
  readonly workerId: string;
}

export interface CancelRequest {
  readonly runId: string;
  readonly stopReason: RunCancel['stopReason'];
}

export interface RunLeases {
  /**
   * Claims up to `limit` runs that may start: `pending` runs that are due (`startAfter`) and whose thread has
   * no running run and no older pending run that is due, oldest first, and `running` runs whose worker is
   * fenced or gave them up. Returns each as `running` with `attempt + 1`, and with an epoch that begins after
   * its log so far. With `runIds`, claims only those runs (each must be claimable by the same rules, and not
   * be a suspect). Two processes never get the same attempt of a run.
   */
  claim(claim: RunClaim, limit: number, runIds?: readonly string[]): Promise<readonly ClaimedRun[]>;
  held(workerId: string): Promise<readonly HeldRun[]>;
  /** Returns the cancel requests for runs of this worker, whichever process received them. */
  cancelRequests(workerId: string): Promise<readonly CancelRequest[]>;
  /**
   * Releases an unfinished run at shutdown, if the attempt is still current and the worker's. The run is
   * `pending` again with the attempt it had before, so that a drain does not use up attempts.
   */
  release(run: HeldAttempt, now: number): Promise<void>;
  /**
   * Releases these runs of the worker, which it does not execute. Any worker may claim them, including this
   * one.
   */
  giveUp(workerId: string, runIds: readonly string[]): Promise<void>;
}

export interface WorkerLease {
  /** Never reused, neither by another process nor by this one after it was fenced. */
  readonly workerId: string;
  /** Duration from now, by the clock of the database. The clocks of the processes do not matter. */
  readonly leaseMs: number;
}

export interface WorkerRenewal extends WorkerLease {
  /** The number of the last group commit that the worker knows to be durable; 0 for none. */
  readonly acknowledged: number;
}

/** The work that may exist for a live worker. */
export interface WorkerTurn {
  /** True when runs belong to the worker. */
  readonly holdsRuns: boolean;
  /**
   * True when waiting runs are due, running runs have no worker, another worker is fenced, or its lease has
   * ended.
   */
  readonly hasWork: boolean;
}

/** The processes that execute runs. Each has a row, and every executed run belongs to one of them. */
export interface Workers {
  /** Allows the worker to claim runs from now on. Does nothing when it already may. */
  register(lease: WorkerLease): Promise<void>;
  /**
   * Extends the lease, even one that has ended, unless the worker was fenced. Returns `undefined` when the
   * worker is fenced, or the database has lost commits that it acknowledged (a restore, a failover). Its
   * writes then no longer count, and its runs are taken over.
   */
  renew(renewal: WorkerRenewal): Promise<WorkerTurn | undefined>;
  /** Returns the same without renewing the lease, for a process that is alone on the database. */
  current(workerId: string): Promise<WorkerTurn | undefined>;
  /** Removes a worker that stops. Runs that it has not handed back may be claimed immediately. */
  retire(workerId: string): Promise<void>;
  /** Fences all other workers immediately. Only for a process that holds the lock on an embedded database. */
  fenceOthers(workerId: string): Promise<void>;
}
