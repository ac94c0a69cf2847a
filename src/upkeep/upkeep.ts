// The one place from which the service does its background work: sweeps, retention, deliveries, memory.
import type { Log } from '../log.ts';
import { type CancelTimer, REAL_TIMERS, type Timers } from '../timers.ts';

/** Work that is looked for again and again, from the start of the service to its stop. */
export interface Job {
  /** What the log calls it. */
  readonly name: string;
  /** Milliseconds from the end of a look to the next one. */
  readonly everyMs: number;
  /**
   * One look; never beside another one of the same job. `true`: more is waiting, and the next look comes as soon as this
   * one took, since half of the time is everybody else's. A number: something is due in so many milliseconds, and the next
   * look comes then, if that is sooner than `everyMs`. What it throws is logged with the name, and tried again.
   */
  pass(turn: Turn): Promise<boolean | number | undefined>;
  /** The last thing that is done of it: begins when no job looks any more, and is waited for. */
  last?(): Promise<unknown>;
}

export interface Turn {
  /** The first pass of this process, which finds what an earlier one left. */
  readonly isFirst: boolean;
  /** Aborted when the service stops: postpone what can wait. */
  readonly signal: AbortSignal;
  /** The same as of the job that was added. */
  wake(): Promise<void>;
  wakeWithin(ms: number): void;
}

export interface Upkeep {
  /** Takes a job on; before `start`. */
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
  /** Makes a pass within this many milliseconds; does nothing before the start, where the first pass comes anyway. */
  wakeWithin(ms: number): void;
}

/** For a part that wakes its own job; the others are jobs. */
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
  /** Resolves when it looks no more. */
  end(): Promise<void>;
  last(): Promise<void>;
}

interface LoopParts extends Required<UpkeepParts> {
  readonly signal: AbortSignal;
  /** Whether a look is followed by another one. */
  readonly isRunning: () => boolean;
}

function createLoop(job: Job, { log, timers, signal, isRunning }: LoopParts): Loop {
  let isFirst = true;
  let cancel: CancelTimer = () => {};
  /** When the next look begins by itself, as `elapsed`. */
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
    // Set when the look under way is over.
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
