// The one place from which the service does its background work: sweeps, retention, deliveries, memory.
import type { Log } from '../log.ts';
import { type CancelTimer, REAL_TIMERS, type Timers } from '../timers.ts';

/** Work for which the service checks again and again, from its start to its stop. */
export interface Job {
  /** The name in the log. */
  readonly name: string;
  /** Milliseconds from the end of a pass to the next one. */
  readonly everyMs: number;
  /**
   * Makes one pass; passes of a job never overlap. `true` means that more work is waiting: the next pass
   * follows after a pause as long as this pass, which leaves half of the time to other work. A number means
   * that work is due in so many milliseconds: the next pass comes then, if that is sooner than `everyMs`. An
   * error is logged with the name, and the job is retried.
   */
  pass(turn: Turn): Promise<boolean | number | undefined>;
  /** The final work of the job. It starts when no job makes passes any more, and the stop waits for it. */
  last?(): Promise<unknown>;
}

export interface Turn {
  /** The first pass of this process, which finds what an earlier one left. */
  readonly isFirst: boolean;
  /** Aborted when the service stops: postpone what can wait. */
  readonly signal: AbortSignal;
  /** See `AddedJob`. */
  wake(): Promise<void>;
  wakeWithin(ms: number): void;
}

export interface Upkeep {
  /** Adds a job. Must be called before `start`. */
  add(job: Job): AddedJob;
  /** Starts the passes of all jobs. */
  start(): void;
  /** Every job makes a pass now, once started: another process has left work behind. */
  passNow(): void;
  /** Starts no more passes. Resolves when the current ones have ended and every job has done its final work. */
  stop(): Promise<void>;
  /** Aborted by `stop`. */
  readonly signal: AbortSignal;
}

interface AddedJob {
  /**
   * Makes a pass now, started or not; once more when a pass is running. Resolves when that pass is over, whatever its
   * outcome, and does nothing once the service stops.
   */
  wake(): Promise<void>;
  /**
   * Makes a pass within this many milliseconds. Does nothing before the start, which makes the first pass
   * anyway.
   */
  wakeWithin(ms: number): void;
}

/** For a module that adds its own job and wakes it. Other modules return a `Job`. */
export type JobTaker = Pick<Upkeep, 'add' | 'signal'>;

interface UpkeepParts {
  readonly log: Pick<Log, 'warn'>;
  readonly timers?: Pick<Timers, 'idlyAfter' | 'elapsed'>;
}

export function createUpkeep({ log, timers = REAL_TIMERS }: UpkeepParts): Upkeep {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loops: Loop[] = [];
  let isStarted = false;
  let stopped: Promise<void> | undefined;
  const parts = { log, timers, signal, isRunning: () => isStarted && !signal.aborted };

  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all(loops.map((loop) => loop.end()));
    await Promise.all(loops.map((loop) => loop.last()));
  };
  return {
    signal,
    add(job) {
      const loop = createLoop(job, parts);
      loops.push(loop);
      return { wake: loop.wake, wakeWithin: loop.wakeWithin };
    },
    start() {
      isStarted = true;
      for (const loop of loops) void loop.wake();
    },
    passNow() {
      if (isStarted) for (const loop of loops) void loop.wake();
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface Loop extends AddedJob {
  /** Resolves when no pass is running any more. */
  end(): Promise<void>;
  last(): Promise<void>;
}

interface LoopParts extends Required<UpkeepParts> {
  readonly signal: AbortSignal;
  /** Whether a pass is followed by another one. */
  readonly isRunning: () => boolean;
}

function createLoop(job: Job, { log, timers, signal, isRunning }: LoopParts): Loop {
  let isFirst = true;
  let cancel: CancelTimer = () => {};
  /** When the next scheduled pass begins, on the clock of `elapsed`. */
  let nextAt = Number.POSITIVE_INFINITY;
  let passing: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const failed = (err: unknown): undefined => {
    log.warn({ err, job: job.name }, 'a background job failed; it will be retried later');
  };
  const wakeWithin = (ms: number): void => {
    const at = timers.elapsed() + Math.max(0, ms);
    if (at >= nextAt) return;
    nextAt = at;
    // The current pass sets the timer when it ends.
    if (passing !== undefined || !isRunning()) return;
    cancel();
    cancel = timers.idlyAfter(ms, () => void wake());
  };
  const pass = async (): Promise<void> => {
    cancel();
    nextAt = Number.POSITIVE_INFINITY;
    const begun = timers.elapsed();
    const turn = { isFirst, signal, wake, wakeWithin };
    isFirst = false;
    const found = await job.pass(turn).catch(failed);
    const now = timers.elapsed();
    passing = undefined;
    const dueIn = typeof found === 'number' ? Math.max(0, found) : job.everyMs;
    const pauseMs = found === true ? now - begun : Math.min(dueIn, job.everyMs, Math.max(0, nextAt - now));
    nextAt = now + pauseMs;
    if (isRunning()) cancel = timers.idlyAfter(pauseMs, () => void wake());
  };
  const wake = async (): Promise<void> => {
    if (signal.aborted) return;
    if (passing === undefined) {
      passing = pass();
      return passing;
    }
    next ??= passing.then(() => {
      next = undefined;
      return wake();
    });
    return next;
  };
  return {
    wake,
    wakeWithin,
    async end() {
      cancel();
      await passing;
    },
    async last() {
      await job.last?.().catch(failed);
    },
  };
}
