// Who executes a run. Leases are rows, so one process and a cluster decide it the same way.
import type { RunCancel, RunRecord } from './runs.ts';

export interface LeaseClaim {
  readonly leaseOwner: string;
  readonly now: number;
  readonly leaseUntil: number;
}

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

export interface RunClaim extends LeaseClaim {
  /**
   * Absent: the oldest runs are taken, whosever they are. Runs that are only to be cancelled are taken beyond a share, when
   * they are asked for.
   */
  readonly shares?: RunShares;
  /** Absent: all runs are taken alike. Runs that are only to be cancelled are no suspects. */
  readonly suspects?: SuspectLimit;
}

export interface CancelRequest {
  readonly runId: string;
  readonly stopReason: RunCancel['stopReason'];
}

export interface RunLeases {
  /**
   * Takes up to `limit` runs that may start: `pending` ones that are due (`startAfter`) and whose thread has no running
   * run and no older pending one that is due, oldest first, and `running` ones whose lease ended before `now`, but never its own: a late owner still
   * executes them. Each comes back `running` with `attempt + 1`. `runIds` asks for those runs only (each must be claimable by the same rules, and be no
   * suspect). Two processes never get the same attempt of a run.
   */
  claim(claim: RunClaim, limit: number, runIds?: readonly string[]): Promise<readonly RunRecord[]>;
  /** When the next pending run that is not due yet will be: epoch milliseconds after `now`. */
  nextStart(now: number): Promise<number | undefined>;
  /** Prolongs every lease of this owner in one statement; the ids of the runs that are still its own. */
  renew(claim: LeaseClaim): Promise<readonly string[]>;
  /** The cancel requests for runs of this owner, of whichever process they were asked. */
  cancelRequests(leaseOwner: string): Promise<readonly CancelRequest[]>;
  /**
   * Lets go of a run that was not finished (shutdown), if the attempt is still the current one: it is `pending`
   * again with the attempt it had before, so that a drain does not use up the attempts.
   */
  release(runId: string, attempt: number, now: number): Promise<void>;
  /** Ends this owner's leases of these runs, which it does not execute: anybody may take them up, itself too. */
  giveUp(leaseOwner: string, runIds: readonly string[], now: number): Promise<void>;
  /** Ends all leases of other owners: only for a process that holds the lock on an embedded database. */
  expireOthers(leaseOwner: string, now: number): Promise<number>;
}
