// Claims runs that may start: those that were just admitted, and with sweeps those that wait.
import type { Log } from '../../log.ts';
import type { Notices } from '../../storage/notices.ts';
import type { ClaimedRun, RunLeases } from '../../storage/run-leases.ts';
import type { Timers } from '../../timers.ts';
import { epochName } from '../log/epochs.ts';
import type { Worker } from '../log/worker.ts';
import type { RunTurns } from './held-places.ts';
import type { Suspects } from './suspects.ts';
import { createTakeUpPace, type TakeUpPace } from './take-up-pace.ts';

interface RunClaimsParts {
  readonly worker: Worker;
  readonly leases: Pick<RunLeases, 'claim'>;
  readonly suspects: Suspects;
  readonly turns: RunTurns;
  /** How many waiting runs are claimed per second. */
  readonly resumePerSecond: number;
  readonly freePlaces: () => number;
  readonly start: (run: ClaimedRun) => void;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  readonly notices: Pick<Notices, 'send'>;
  readonly timers: Timers;
}

const CLAIM_BATCH = 32;

/** Claims one after another, so that together they cannot exceed the free places. */
export class RunClaims {
  readonly #parts: RunClaimsParts;
  readonly #pace: TakeUpPace;
  #claiming: Promise<void> = Promise.resolve();
  #most = 0;
  #isSweepWanted = false;
  #isSweepDue = false;
  #admitted: string[] = [];
  #isClosed = false;

  constructor(parts: RunClaimsParts) {
    this.#parts = parts;
    this.#pace = createTakeUpPace(parts.resumePerSecond, parts.timers);
  }

  /** The most runs that the claim in progress may claim. */
  get most(): number {
    return this.#most;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Claims nothing more. Resolves when no claim is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#claiming;
  }

  /** Resolves when the claims that are in progress or due are done. */
  settled(): Promise<void> {
    return this.#claiming;
  }

  /** Does this between two claims. */
  enqueue(work: () => Promise<void>): void {
    this.#claiming = this.#claiming.then(work).catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'runs could not be claimed; trying again');
    });
  }

  /** Claims runs that are admitted during one read of the network in one transaction. */
  claimAdmitted(runId: string): void {
    this.#admitted.push(runId);
    if (this.#admitted.length === 1)
      this.#parts.timers.soon(() => this.enqueue(() => this.#claimAllAdmitted()));
  }

  async #claimAllAdmitted(): Promise<void> {
    const admitted = this.#admitted;
    this.#admitted = [];
    const remaining = Math.min(admitted.length, this.#parts.freePlaces());
    if (remaining > 0 && !this.#isClosed) await this.#claim(remaining, admitted);
    if (remaining < admitted.length || this.#isClosed) this.#parts.notices.send({ kind: 'waiting' });
  }

  /** Claims runs that wait, unless a sweep is due anyway. */
  sweepSoon(): void {
    if (this.#isSweepWanted || this.#isClosed) return;
    this.#isSweepWanted = true;
    this.enqueue(() => this.sweep());
  }

  /** Reports that a run has ended: another may take its place, regardless of the pace. */
  freed(): void {
    this.#pace.freed();
    this.sweepSoon();
  }

  /** Claims runs that wait, at the pace. Call it through `enqueue`. */
  async sweep(): Promise<void> {
    this.#isSweepWanted = false;
    for (;;) {
      const places = this.#parts.freePlaces();
      if (places <= 0 || this.#isClosed) return;
      const remaining = Math.min(CLAIM_BATCH, places, this.#pace.allowed());
      if (remaining <= 0) return this.#sweepLater();
      const claimed = await this.#claim(remaining);
      this.#pace.took(claimed);
      // The fair shares of the waiting users may be fewer than the free places.
      if (claimed === 0) return this.#pace.nothingWaits();
    }
  }

  #sweepLater(): void {
    if (this.#isSweepDue) return;
    this.#isSweepDue = true;
    this.#parts.timers.idlyAfter(this.#pace.msUntilMore(), () => {
      this.#isSweepDue = false;
      this.sweepSoon();
    });
  }

  async #claim(limit: number, runIds?: readonly string[]): Promise<number> {
    const { worker, leases, suspects, turns, now, newId, start } = this.#parts;
    const claim = {
      workerId: worker.id,
      now: now(),
      epoch: epochName(newId()),
      fencesExpired: worker.mayFence(),
      suspects: suspects.limit(),
      shares: turns.shares(),
    };
    this.#most = limit;
    try {
      const runs = await leases.claim(claim, limit, runIds);
      for (const run of runs) start(run);
      return runs.length;
    } finally {
      this.#most = 0;
    }
  }
}
