// Executes the runs that this process claims, renews their lease, and releases them when the process stops.
import type { Log } from '../../log.ts';
import type { Notices } from '../../storage/notices.ts';
import type { ClaimedRun, RunLeases } from '../../storage/run-leases.ts';
import type { RunCancel } from '../../storage/runs.ts';
import { type Owner, type Repositories, UNSCOPED } from '../../storage/storage.ts';
import type { CancelTimer, Timers } from '../../timers.ts';
import { epochName } from '../log/epochs.ts';
import { RunAbort } from '../log/run-ending.ts';
import type { Worker } from '../log/worker.ts';
import { type CancelWatch, compareRuns, watchCancelRequests } from './compare-runs.ts';
import type { RunExecution } from './execute-run.ts';
import { createRunTurns, type HeldPlace, HeldPlaces, type RunTurns } from './held-places.ts';
import { RunClaims } from './run-claims.ts';
import { createSuspects, type Suspects } from './suspects.ts';

interface RunDispatcherParts {
  readonly worker: Worker;
  readonly leases: RunLeases;
  readonly repositoriesOf: (owner: Owner) => Repositories;
  readonly execute: (execution: RunExecution) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  readonly renewalMs: number;
  readonly maxConcurrent: number;
  /** The most runs of one user within `maxConcurrent`. */
  readonly perUser: number;
  readonly maxAttempts: number;
  /** How many waiting runs are claimed per second. New runs start immediately. */
  readonly resumePerSecond: number;
  /** True if the process locks an embedded database: it need not wait for runs of earlier processes. */
  readonly exclusive: boolean;
  readonly notices: Pick<Notices, 'send' | 'arrive'>;
  readonly timers: Timers;
}

interface ActiveRun {
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

const MAX_TIMER_MS = 2_000_000_000;

export class RunDispatcher {
  readonly #parts: RunDispatcherParts;
  readonly #active = new Map<string, ActiveRun>();
  /** Runs started under this worker, until storage reports that they are no longer its own. */
  readonly #begun = new Set<string>();
  readonly #timers: Timers;
  readonly #claims: RunClaims;
  readonly #suspects: Suspects;
  readonly #turns: RunTurns;
  readonly #held: HeldPlaces;
  readonly #worker: Worker;
  #renewal: CancelTimer | undefined;
  #cancelWatch: CancelWatch | undefined;
  #renewing = false;
  #settling = false;

  constructor(parts: RunDispatcherParts) {
    this.#parts = parts;
    this.#timers = parts.timers;
    this.#suspects = createSuspects(parts.maxAttempts, this.#timers);
    this.#turns = createRunTurns(parts.perUser);
    this.#held = new HeldPlaces(this.#turns);
    this.#worker = parts.worker;
    this.#claims = new RunClaims({
      worker: parts.worker,
      leases: parts.leases,
      suspects: this.#suspects,
      turns: this.#turns,
      resumePerSecond: parts.resumePerSecond,
      freePlaces: () => this.#freePlaces(),
      start: (run) => this.#execute(run),
      log: parts.log,
      now: parts.now,
      newId: parts.newId,
      notices: parts.notices,
      timers: parts.timers,
    });
  }

  /** Registers the process, claims the runs that an earlier one left, and starts renewing the lease. */
  async start(): Promise<void> {
    const { exclusive, renewalMs } = this.#parts;
    this.#renewal = this.#timers.every(renewalMs, () => this.#renew());
    // A process that is alone receives every request itself.
    if (!exclusive) this.#cancelWatch = this.#watchCancelRequests();
    await this.#worker.register();
    if (exclusive) await this.#worker.fenceOthers();
    this.wake();
  }

  /** Claims runs that are due: a run was admitted (`runId`), or one has ended. */
  wake(runId?: string): void {
    if (this.#claims.isClosed) return;
    if (runId === undefined) this.#claims.sweepSoon();
    else this.#claims.claimAdmitted(runId);
  }

  /** Holds a place for a run that is being admitted; `undefined` if none is free and the run must wait. */
  hold(runId: string): HeldPlace | undefined {
    if (this.#claims.isClosed || this.#freePlaces() <= 0) return undefined;
    return this.#held.hold(runId, {
      workerId: this.#worker.id,
      epoch: epochName(this.#parts.newId()),
      otherClaims: () => this.#claims.most,
      settled: (claimed) => {
        // A worker fenced during the admission starts nothing under its old id: the run is taken over.
        if (claimed?.leaseOwner === this.#worker.id) this.#execute({ ...claimed, isNew: true });
        // Another run may have been refused because of this place.
        else this.wake();
      },
    });
  }

  #freePlaces(): number {
    return this.#parts.maxConcurrent - this.#active.size - this.#held.size - this.#claims.most;
  }

  /** Calls `wake` when a delayed run is due. */
  wakeAfter(delayMs: number): void {
    // The sweep after each renewal finds runs with longer delays than a timer can hold.
    this.#timers.idlyAfter(Math.min(delayMs, MAX_TIMER_MS), () => this.wake());
  }

  /** Aborts the run if this process executes or is claiming it. Call it once the request is durable. */
  async cancel(runId: string, stopReason: RunCancel['stopReason']): Promise<void> {
    // A claim in progress may not have seen the request.
    if (!this.#active.has(runId)) await this.#takenUp(runId);
    if (this.#active.has(runId)) this.#abort(runId, stopReason);
    else {
      this.#parts.notices.send({ kind: 'cancel', runId });
      // The run may wait to be resumed. The worker that claims it ends it, out of turn.
      this.wake(runId);
    }
  }

  /** Handles a request, received elsewhere, to end this run, or any of the runs that are executed here. */
  cancelledElsewhere(runId?: string): void {
    if (runId === undefined || this.#active.has(runId)) this.#cancelWatch?.check();
    // A claim in progress may not have seen the request.
    else void this.#takenUp(runId).then(() => this.#active.has(runId) && this.#cancelWatch?.check());
  }

  /** Resolves when no claim that may include the run is in progress. */
  async #takenUp(runId: string): Promise<void> {
    await Promise.all([this.#claims.settled(), this.#held.settled(runId)]);
  }

  #abort(runId: string, stopReason: RunCancel['stopReason']): void {
    this.#active.get(runId)?.abort.abort(new RunAbort({ kind: 'cancelled', stopReason }));
  }

  /** Stops claiming, gives runs `graceMs` to end, and hands the others back. Resolves when none remains. */
  async drain(graceMs: number): Promise<void> {
    await Promise.all([this.#claims.close(), this.#held.allSettled()]);
    const handOver = (): void => {
      for (const { abort } of this.#active.values()) abort.abort(new RunAbort({ kind: 'drained' }));
    };
    const cancelHandOver = this.#timers.after(graceMs, handOver);
    if (graceMs <= 0) handOver();
    while (this.#active.size > 0) await Promise.all([...this.#active.values()].map(({ done }) => done));
    cancelHandOver();
    this.#renewal?.();
    this.#cancelWatch?.stop();
    await this.#claims.settled();
    // Other processes may claim what was handed back.
    this.#parts.notices.send({ kind: 'waiting' });
    await this.#worker.retire().catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'the worker could not be removed; its lease will expire');
    });
  }

  #execute(run: ClaimedRun): void {
    const { execute, repositoriesOf } = this.#parts;
    const abort = new AbortController();
    const repositories = repositoriesOf(run.userId ?? UNSCOPED);
    const onProgress = (): void => {
      if (this.#suspects.acquit(run.runId)) this.wake();
    };
    this.#suspects.took(run);
    this.#turns.took(run);
    this.#begun.add(run.runId);
    const executed = execute({ run, repositories, abort, isNew: run.isNew, onProgress }).finally(() => {
      if (this.#active.get(run.runId) === active) this.#active.delete(run.runId);
      this.#turns.ended(run);
      this.#suspects.acquit(run.runId);
      this.#claims.freed();
    });
    // The run may have been lost and claimed again before its older attempt was notified.
    const older = this.#active.get(run.runId);
    older?.abort.abort(new RunAbort({ kind: 'lost' }));
    const active: ActiveRun = {
      abort,
      done: Promise.all([older?.done, executed]).then(() => undefined),
    };
    this.#active.set(run.runId, active);
  }

  #watchCancelRequests(): CancelWatch {
    return watchCancelRequests({
      leases: this.#parts.leases,
      log: this.#parts.log,
      workerId: () => this.#worker.id,
      timers: this.#timers,
      active: () => this.#active.size,
      isNotified: () => this.#parts.notices.arrive(),
      cancel: ({ runId, stopReason }) => this.#abort(runId, stopReason),
    });
  }

  /** Runs one renewal at a time, independently of claims, so that none pile up during an outage. */
  #renew(): void {
    if (this.#renewing) return;
    this.#renewing = true;
    void this.#renewLease().finally(() => {
      this.#renewing = false;
    });
  }

  async #renewLease(): Promise<void> {
    const { id } = this.#worker;
    try {
      const turn = await this.#worker.renew();
      if (turn === undefined) this.#claims.enqueue(() => this.#startAnew(id));
      else if (turn.holdsRuns || this.#active.size > 0 || this.#begun.size > 0) this.#settle(turn.hasWork);
      else if (turn.hasWork) this.wake();
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the lease could not be renewed; trying again');
    }
  }

  /** Registers under a new id: another process considered this one dead and takes over its runs. */
  async #startAnew(fencedId: string): Promise<void> {
    // Renewals continue while this waits for its turn. A second one must not give up the runs of the new id.
    if (this.#worker.id !== fencedId) return;
    this.#parts.log.warn({ runs: this.#active.size }, 'another process fenced this one; it registers again');
    for (const { abort } of this.#active.values()) abort.abort(new RunAbort({ kind: 'lost' }));
    await this.#worker.startAnew();
    await this.#claims.sweep();
  }

  #settle(hasWork: boolean): void {
    if (this.#settling) return;
    this.#settling = true;
    this.#claims.enqueue(() =>
      this.#compareRuns(hasWork).finally(() => {
        this.#settling = false;
      }),
    );
  }

  async #compareRuns(hasWork: boolean): Promise<void> {
    const { leases, repositoriesOf, now } = this.#parts;
    const letGo = await compareRuns({
      workerId: this.#worker.id,
      leases,
      runs: repositoriesOf(UNSCOPED).runs,
      now,
      active: () => new Set(this.#active.keys()),
      begun: this.#begun,
      isAdmitted: (runId) => this.#held.has(runId),
      isWorking: async () => (await this.#worker.renew()) !== undefined,
      onCancelled: (runId, stopReason) => this.#abort(runId, stopReason),
      onLost: (runId) => this.#active.get(runId)?.abort.abort(new RunAbort({ kind: 'lost' })),
    });
    // This also finds what a failed claim left.
    if (hasWork || letGo > 0) await this.#claims.sweep();
  }
}
