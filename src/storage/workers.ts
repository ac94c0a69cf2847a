// The processes that execute runs. Each has a row, and every run that is executed belongs to one of them.

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

export interface Workers {
  /** The worker may take runs up from now on; does nothing when it may already. */
  register(lease: WorkerLease): Promise<void>;
  /**
   * Prolongs the lease, also one that has ended, as long as nobody has fenced the worker. `undefined`: it is fenced, or the
   * database has lost what it acknowledged (a restore, a failover); nothing that it writes counts any more, and its runs
   * are taken over.
   */
  renew(renewal: WorkerRenewal): Promise<WorkerTurn | undefined>;
  /** The same answer, and the lease stays as it is: for a process that alone works on the database. */
  look(workerId: string): Promise<WorkerTurn | undefined>;
  /** The worker stops: what it has not handed back may be taken up at once, and its row goes. */
  retire(workerId: string): Promise<void>;
  /** Fences all others at once: only for a process that holds the lock on an embedded database. */
  fenceOthers(workerId: string): Promise<void>;
}
