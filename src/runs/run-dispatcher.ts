// Takes runs that may start, executes them, keeps their leases, and lets them go when the process stops.
import type { Log } from '../log.ts';
import type { RunLeases } from '../storage/run-leases.ts';
import type { RunCancel } from '../storage/runs.ts';
import { type Owner, type Repositories, UNSCOPED } from '../storage/storage.ts';
import { type CancelTimer, REAL_TIMERS, type Timers } from '../timers.ts';
import { watchCancelRequests } from './cancel-watch.ts';
import type { RunExecution } from './execute-run.ts';
import { RunAbort } from './run-ending.ts';
import { createRunTurns, type RunTurns } from './run-turns.ts';
import { createSuspects, type Suspects } from './suspects.ts';
import { createTakeUpPace, type TakeUpPace } from './take-up-pace.ts';

export interface RunDispatcher {
  /** Takes up what an earlier process left and starts renewing leases. */
  start(): Promise<void>;
  /** There is something to do: a run was admitted (`runId`), or one has ended. */
  wake(runId?: string): void;
  /** `wake` when a delayed run is due. */
  wakeAfter(delayMs: number): void;
  /**
   * Aborts the run if this process executes it or is just taking it up, and resolves when it has done so. Call it
   * when the request is durable: whoever takes the run up later finds it there.
   */
  cancel(runId: string, stopReason: RunCancel['stopReason']): Promise<void>;
  /**
   * No new runs; running ones get `graceMs`, what is left is handed back as it stands. Resolves when none is left.
   */
  drain(graceMs: number): Promise<void>;
  /** How many runs are being executed. */
  active(): number;
}

interface RunDispatcherParts {
  readonly leases: RunLeases;
  readonly repositoriesOf: (owner: Owner) => Repositories;
  readonly execute: (execution: RunExecution) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
  readonly leaseOwner: string;
  readonly leaseMs: number;
  readonly renewalMs: number;
  readonly maxConcurrent: number;
  /** Of `maxConcurrent`, those of one user. */
  readonly perUser: number;
  /** How often a run is tried. */
  readonly maxAttempts: number;
  /** How many runs that were found waiting are taken up in a second; new ones start at once. */
  readonly resumePerSecond: number;
  /** The process holds the lock of an embedded database: runs of earlier processes need not be waited for. */
  readonly exclusive: boolean;
  readonly timers?: Timers;
}

interface ActiveRun {
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

const CLAIM_BATCH = 32;
const MAX_TIMER_MS = 2_000_000_000;

export function createRunDispatcher(parts: RunDispatcherParts): RunDispatcher {
  return new Dispatcher(parts);
}

class Dispatcher implements RunDispatcher {
  readonly #parts: RunDispatcherParts;
  readonly #active = new Map<string, ActiveRun>();
  readonly #timers: Timers;
  readonly #pace: TakeUpPace;
  readonly #suspects: Suspects;
  readonly #turns: RunTurns;
  #renewal: CancelTimer | undefined;
  #cancelWatch: CancelTimer | undefined;
  #claiming: Promise<void> = Promise.resolve();
  #sweepWanted = false;
  #isSweepDue = false;
  #wanted: string[] = [];
  #renewing = false;
  #draining = false;

  constructor(parts: RunDispatcherParts) {
    this.#parts = parts;
    this.#timers = parts.timers ?? REAL_TIMERS;
    this.#pace = createTakeUpPace(parts.resumePerSecond, this.#timers);
    this.#suspects = createSuspects(parts.maxAttempts, this.#timers);
    this.#turns = createRunTurns(parts.perUser);
  }

  async start(): Promise<void> {
    const { leases, exclusive, leaseOwner, now, renewalMs } = this.#parts;
    if (exclusive) await leases.expireOthers(leaseOwner, now());
    this.#renewal = this.#timers.every(renewalMs, () => this.#renew());
    // A process that is alone hears of every request itself.
    if (!exclusive) this.#cancelWatch = this.#watchCancelRequests();
    this.wake();
  }

  wake(runId?: string): void {
    if (this.#draining) return;
    if (runId !== undefined) {
      this.#want(runId);
      return;
    }
    if (this.#sweepWanted) return;
    this.#sweepWanted = true;
    this.#enqueue(() => this.#sweep());
  }

  wakeAfter(delayMs: number): void {
    // Longer delays than a timer can hold are found by the sweep that comes with every renewal.
    this.#timers.idlyAfter(Math.min(delayMs, MAX_TIMER_MS), () => this.wake());
  }

  async cancel(runId: string, stopReason: RunCancel['stopReason']): Promise<void> {
    // A claim that did not see the request has begun already.
    if (!this.#active.has(runId)) await this.#claiming;
    if (this.#active.has(runId)) this.#abort(runId, stopReason);
    // It may be one that waits to be resumed: whoever takes it up ends it, and need not wait for its turn.
    else this.wake(runId);
  }

  #abort(runId: string, stopReason: RunCancel['stopReason']): void {
    this.#active.get(runId)?.abort.abort(new RunAbort({ kind: 'cancelled', stopReason }));
  }

  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    await this.#claiming;
    const handOver = (): void => {
      for (const { abort } of this.#active.values()) abort.abort(new RunAbort({ kind: 'drained' }));
    };
    const cancelHandOver = this.#timers.after(graceMs, handOver);
    if (graceMs <= 0) handOver();
    while (this.#active.size > 0) await Promise.all([...this.#active.values()].map(({ done }) => done));
    cancelHandOver();
    this.#renewal?.();
    this.#cancelWatch?.();
  }

  active(): number {
    return this.#active.size;
  }

  /** Claims follow one another, so that they cannot exceed the room that is left. */
  #enqueue(work: () => Promise<void>): void {
    this.#claiming = this.#claiming.then(work).catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'runs could not be taken up; trying again');
    });
  }

  async #sweep(): Promise<void> {
    this.#sweepWanted = false;
    for (;;) {
      const places = this.#parts.maxConcurrent - this.#active.size;
      if (places <= 0 || this.#draining) return;
      const room = Math.min(CLAIM_BATCH, places, this.#pace.allowed());
      if (room <= 0) return this.#sweepLater();
      const claimed = await this.#claimRuns(room);
      this.#pace.took(claimed);
      // Fewer than there is room for may be the shares of those who wait.
      if (claimed === 0) return this.#pace.nothingWaits();
    }
  }

  #sweepLater(): void {
    if (this.#isSweepDue) return;
    this.#isSweepDue = true;
    this.#timers.idlyAfter(this.#pace.msUntilMore(), () => {
      this.#isSweepDue = false;
      this.wake();
    });
  }

  /** Runs that are admitted while the network is read are claimed in one transaction. */
  #want(runId: string): void {
    this.#wanted.push(runId);
    if (this.#wanted.length === 1) this.#timers.soon(() => this.#enqueue(() => this.#claimWanted()));
  }

  async #claimWanted(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = [];
    const room = Math.min(wanted.length, this.#parts.maxConcurrent - this.#active.size);
    if (room > 0 && !this.#draining) await this.#claimRuns(room, wanted);
  }

  async #claimRuns(limit: number, runIds?: readonly string[]): Promise<number> {
    const lease = this.#lease();
    const runs = await this.#parts.leases.claim(
      { ...lease, suspects: this.#suspects.limit(), shares: this.#turns.shares() },
      limit,
      runIds,
    );
    // A run that was handed over keeps its attempt, but not the time at which it was first taken up.
    for (const run of runs) this.#execute({ run, isNew: run.attempt === 1 && run.startedAt === lease.now });
    return runs.length;
  }

  #execute({ run, isNew }: Pick<RunExecution, 'run' | 'isNew'>): void {
    const { execute, repositoriesOf } = this.#parts;
    const abort = new AbortController();
    const repositories = repositoriesOf(run.userId ?? UNSCOPED);
    const onProgress = (): void => {
      if (this.#suspects.acquit(run.runId)) this.wake();
    };
    this.#suspects.took(run);
    this.#turns.took(run);
    const executed = execute({ run, repositories, abort, isNew, onProgress }).finally(() => {
      if (this.#active.get(run.runId) === active) this.#active.delete(run.runId);
      this.#pace.freed();
      this.#turns.ended(run);
      this.#suspects.acquit(run.runId);
      this.wake();
    });
    // The run may have been lost and come back while an older attempt of it is still being told.
    const older = this.#active.get(run.runId);
    older?.abort.abort(new RunAbort({ kind: 'lost' }));
    const active: ActiveRun = {
      abort,
      done: Promise.all([older?.done, executed]).then(() => undefined),
    };
    this.#active.set(run.runId, active);
  }

  #watchCancelRequests(): CancelTimer {
    return watchCancelRequests({
      ...this.#parts,
      timers: this.#timers,
      active: () => this.#active.size,
      cancel: ({ runId, stopReason }) => this.#abort(runId, stopReason),
    });
  }

  /** One at a time: while the database does not answer they must not pile up. */
  #renew(): void {
    if (this.#renewing) return;
    this.#renewing = true;
    this.#enqueue(() =>
      this.#renewLeases().finally(() => {
        this.#renewing = false;
      }),
    );
  }

  async #renewLeases(): Promise<void> {
    const { leases, leaseOwner, now } = this.#parts;
    const kept = new Set(await leases.renew(this.#lease()));
    for (const { runId, stopReason } of await leases.cancelRequests(leaseOwner))
      this.#abort(runId, stopReason);
    for (const [runId, { abort }] of this.#active) {
      // A run that began while the statement ran is not in its answer yet.
      if (!kept.has(runId)) await this.#checkLost(runId, abort);
    }
    // Runs that came to no end here, because what they said could not be written: another attempt must end them.
    const orphaned = [...kept].filter((runId) => !this.#active.has(runId));
    if (orphaned.length > 0) await leases.giveUp(leaseOwner, orphaned, now());
    // Also finds what a claim that failed has left.
    await this.#sweep();
  }

  async #checkLost(runId: string, abort: AbortController): Promise<void> {
    const run = await this.#parts.repositoriesOf(UNSCOPED).runs.get(runId);
    const mine = run?.status === 'running' && run.leaseOwner === this.#parts.leaseOwner;
    if (!mine && this.#active.has(runId)) abort.abort(new RunAbort({ kind: 'lost' }));
  }

  #lease() {
    const { leaseOwner, leaseMs, now } = this.#parts;
    return { leaseOwner, now: now(), leaseUntil: now() + leaseMs };
  }
}
