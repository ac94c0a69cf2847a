// Timers as a replaceable part, so that a simulation can control time.

/** Cancels a timer. Does nothing once it has fired. */
export type CancelTimer = () => void;

export interface Timers {
  /** Does the work once, after this many milliseconds. */
  after(ms: number, work: () => void): CancelTimer;
  /** Like `after`, but does not keep the process alive. */
  idlyAfter(ms: number, work: () => void): CancelTimer;
  every(ms: number, work: () => void): CancelTimer;
  /** Does the work once the pending network input has been read. */
  soon(work: () => void): CancelTimer;
  /** Milliseconds since a fixed moment. Unlike the time of day, they never jump. */
  elapsed(): number;
}

export const REAL_TIMERS: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
  idlyAfter(ms, work) {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
  every(ms, work) {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
  soon(work) {
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  },
  elapsed: () => performance.now(),
};

/** Resolves after this many milliseconds. */
export function pause(timers: Pick<Timers, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timers.after(ms, resolve);
  });
}
