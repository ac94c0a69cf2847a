// What happens later: timers as a part of their own, so that a simulation can own time.

/** Takes a timer back; does nothing when it went off already. */
export type CancelTimer = () => void;

export interface Timers {
  /** Does the work once, after so many milliseconds. */
  after(ms: number, work: () => void): CancelTimer;
  /** `after`, but does not keep a process alive. */
  idlyAfter(ms: number, work: () => void): CancelTimer;
  every(ms: number, work: () => void): CancelTimer;
  /** As soon as what the network has brought by now was read. */
  soon(work: () => void): CancelTimer;
  /** Milliseconds since some moment; unlike the time of day they never jump. */
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

/** Resolves after so many milliseconds. */
export function pause(timers: Pick<Timers, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timers.after(ms, resolve);
  });
}
