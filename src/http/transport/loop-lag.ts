// Logs when the event loop was blocked, so that no request was served, and the routes in progress.
import type { Log } from '../../log.ts';

/** Longer blocks are noticeable. */
const LONG_MS = 200;
const CHECK_MS = 50;
/** Minimum time between two log lines, so that a permanently blocked loop does not also fill the disk. */
const QUIET_MS = 10_000;
const MAX_ROUTES = 10;

export interface LoopLag {
  /** Records that this route is being served, until the returned function is called. */
  handling(route: string): () => void;
  /** Starts checking. Before `start` and after `stop`, nothing is logged. */
  start(): void;
  stop(): void;
}

export interface LoopLagParts {
  readonly log: Pick<Log, 'warn'>;
  /** Returns monotonic milliseconds. */
  readonly now?: () => number;
  /** Calls repeatedly. The returned function stops it. */
  readonly every?: (ms: number, call: () => void) => () => void;
}

export function createLoopLag({ log, now = monotonic, every = interval }: LoopLagParts): LoopLag {
  const atWork = new Map<string, number>();
  /** Routes that ended since the last check. One of them may have blocked the loop. */
  const ended = new Set<string>();
  let checkedAt = 0;
  let quietUntil = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  let end: (() => void) | undefined;

  function check(): void {
    const blockedMs = now() - checkedAt;
    checkedAt = now();
    if (blockedMs > LONG_MS) complain(Math.round(blockedMs));
    ended.clear();
  }

  function complain(blockedMs: number): void {
    if (checkedAt < quietUntil) {
      unsaid += 1;
      return;
    }
    const routes = [...new Set([...atWork.keys(), ...ended])].slice(0, MAX_ROUTES);
    const before = unsaid === 0 ? {} : { unsaid };
    log.warn(
      { ms: blockedMs, routes, ...before },
      'the event loop was blocked; no request was served during that time',
    );
    quietUntil = checkedAt + QUIET_MS;
    unsaid = 0;
  }

  return {
    handling(route) {
      atWork.set(route, (atWork.get(route) ?? 0) + 1);
      return () => {
        const left = (atWork.get(route) ?? 1) - 1;
        if (left > 0) atWork.set(route, left);
        else atWork.delete(route);
        if (end !== undefined) ended.add(route);
      };
    },
    start() {
      if (end !== undefined) return;
      checkedAt = now();
      end = every(CHECK_MS, check);
    },
    stop() {
      end?.();
      end = undefined;
      ended.clear();
    },
  };
}

function monotonic(): number {
  return performance.now();
}

function interval(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms).unref();
  return () => clearInterval(timer);
}
