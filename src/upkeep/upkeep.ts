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
   * one took, since half of the time is everybody else's. What it throws is logged with the name, and tried again.
   */
  look(turn: Turn): Promise<boolean | undefined>;
  /** The last thing that is done of it: begins when no job looks any more, and is waited for. */
  last?(): Promise<unknown>;
}

export interface Turn {
  /** The first look of this process, which finds what an earlier one left. */
  readonly isFirst: boolean;
  /** Aborted when the service stops: what can be left is left. */
  readonly signal: AbortSignal;
  /** The same as of the job that was added. */
  wake(): Promise<void>;
}

export interface Upkeep {
  /** Takes a job on; before `start`. */
  add(job: Job): AddedJob;
  /** All jobs look, and go on looking. */
  start(): void;
  /** No look begins any more. Resolves when those under way have ended and every job has done its last thing. */
  stop(): Promise<void>;
  /** Aborted by `stop`. */
  readonly signal: AbortSignal;
}

interface AddedJob {
  /**
   * Looks now, started or not; once more when it is looking. Resolves when that look is over, whatever came of it, and
   * does nothing once the service stops.
   */
  wake(): Promise<void>;
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
  const parts = { log, timers, signal, goesOn: () => isStarted && !signal.aborted };

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
      return { wake: loop.wake };
    },
    start() {
      isStarted = true;
      for (const loop of loops) void loop.wake();
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
  readonly goesOn: () => boolean;
}

function createLoop(job: Job, { log, timers, signal, goesOn }: LoopParts): Loop {
  let isFirst = true;
  let cancel: CancelTimer = () => {};
  let looking: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const failed = (err: unknown): undefined => {
    log.warn({ err, job: job.name }, 'background work failed; it is tried again later');
  };
  const look = async (): Promise<void> => {
    cancel();
    const begun = timers.elapsed();
    const turn = { isFirst, signal, wake };
    isFirst = false;
    const isMore = await job.look(turn).catch(failed);
    const pauseMs = isMore === true ? timers.elapsed() - begun : job.everyMs;
    looking = undefined;
    if (goesOn()) cancel = timers.idlyAfter(pauseMs, () => void wake());
  };
  const wake = async (): Promise<void> => {
    if (signal.aborted) return;
    if (looking === undefined) {
      looking = look();
      return looking;
    }
    next ??= looking.then(() => {
      next = undefined;
      return wake();
    });
    return next;
  };
  return {
    wake,
    async end() {
      cancel();
      await looking;
    },
    async last() {
      await job.last?.().catch(failed);
    },
  };
}
