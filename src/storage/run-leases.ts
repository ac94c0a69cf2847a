// Who executes a run, and the processes that do. It is a row that says so, so one process and a cluster decide it the
// same way.
import type { RunCancel, RunRecord } from './runs.ts';

/** Of runs that were taken up `fromAttempt` times or more without coming to an end, `limit` may be taken now. */
export interface SuspectLimit {
  readonly fromAttempt: number;
  readonly limit: number;
}

/** How users share the runs that a process executes. */
export interface RunShares {
  /** Runs of one user, at most. */
  readonly perUser: number;
  /** Those that are executed already; users without any are absent. */
  readonly running: ReadonlyMap<string | null, number>;
  /** The user whose turn was the last one; the turns go on behind it, in the order of the ids. */
  readonly after: string;
}

export interface RunClaim {
  /** Registered and not fenced; another one gets nothing. */
  readonly workerId: string;
  /** For the times that are shown; nothing is decided by it. */
  readonly now: number;
  /** The name of the epochs that begin with this claim: letters and digits, never used before. */
  readonly epoch: string;
  /** Workers whose lease has ended are fenced, and their runs are among those that may be taken. */
  readonly fencesExpired?: boolean;
  /**
   * Absent: the oldest runs are taken, whosever they are. Runs that are only to be cancelled are taken beyond a share, when
   * they are asked for.
   */
  readonly shares?: RunShares;
  /** Absent: all runs are taken alike. Runs that are only to be cancelled are no suspects. */
  readonly suspects?: SuspectLimit;
}

export interface ClaimedRun extends RunRecord {
  /** Nobody has taken it up before. */
  readonly isNew: boolean;
}

/** A run that belongs to a worker. */
export interface HeldRun {
  readonly runId: string;
  readonly attempt: number;
  /** How somebody asked to end it. */
  readonly stopReason: RunCancel['stopReason'] | null;
}

/** An attempt that is handed back does not count, so the next one may have its number: the worker tells them apart. */
interface HeldAttempt extends Pick<HeldRun, 'runId' | 'attempt'> {
  readonly workerId: string;
}

export interface CancelRequest {
  readonly runId: string;
  readonly stopReason: RunCancel['stopReason'];
}

export interface RunLeases {
  /**
   * Takes up to `limit` runs that may start: `pending` ones that are due (`startAfter`) and whose thread has no running
   * run and no older pending one that is due, oldest first, and `running` ones whose worker is fenced or gave them up. Each
   * comes back `running` with `attempt + 1`, and with an epoch that begins behind what its log holds. `runIds` asks for those runs only (each must be claimable by the same rules, and be no
   * suspect). Two processes never get the same attempt of a run.
   */
  claim(claim: RunClaim, limit: number, runIds?: readonly string[]): Promise<readonly ClaimedRun[]>;
  /** The runs that belong to the worker. */
  held(workerId: string): Promise<readonly HeldRun[]>;
  /** The cancel requests for runs of this worker, of whichever process they were asked. */
  cancelRequests(workerId: string): Promise<readonly CancelRequest[]>;
  /**
   * Lets go of a run that was not finished (shutdown), if the attempt is still the current one and the worker's: it is
   * `pending` again with the attempt it had before, so that a drain does not use up the attempts.
   */
  release(run: HeldAttempt, now: number): Promise<void>;
  /** These runs of the worker, which it does not execute, belong to nobody: anybody may take them up, itself too. */
  giveUp(workerId: string, runIds: readonly string[]): Promise<void>;
}

export interface WorkerLease {
  /** Never used again by another process, nor by this one once it was fenced. */
  readonly workerId: string;
  /** From now on, by the clock of the database: nobody's own clock counts. */
  readonly leaseMs: number;
}

export interface WorkerRenewal extends WorkerLease {
  /** The number of the last group commit that the worker knows to be durable; 0 for none. */
  readonly acknowledged: number;
}

/** What there may be to do for a worker that lives. */
export interface WorkerTurn {
  /** Runs belong to it. */
  readonly holdsRuns: boolean;
  /** Runs wait and are due, or nobody executes them any more; another worker is fenced, or its lease has ended. */
  readonly hasWork: boolean;
}

/**
 * The processes that execute runs. Each has a row, and every run that is executed belongs to one of them.
 */
export interface Workers {
  /** The worker may take runs up from now on; does nothing when it may already. */
  register(lease: WorkerLease): Promise<void>;
  /**
   * Prolongs the lease, also one that has ended, as long as nobody has fenced the worker. `undefined`: it is fenced, or the
   * database has lost what it acknowledged (a restore, a failover); nothing that it writes counts any more, and its runs
   * are taken over.
   */
  renew(renewal: WorkerRenewal): Promise<WorkerTurn | undefined>;
  /** The same result without renewing the lease: for a process that is alone on the database. */
  current(workerId: string): Promise<WorkerTurn | undefined>;
  /** The worker stops: what it has not handed back may be taken up at once, and its row goes. */
  retire(workerId: string): Promise<void>;
  /** Fences all others at once: only for a process that holds the lock on an embedded database. */
  fenceOthers(workerId: string): Promise<void>;
}
