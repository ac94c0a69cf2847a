// The three patiences of a call: for the connection, for the first token, and for what comes after it.
import type { ModelOptions } from '../model-options.ts';

export type CallPhase = 'connect' | 'first_token' | 'silence';

export interface CallClock {
  /** The phase that ran out, once one did. */
  readonly expired: CallPhase | undefined;
  /** The provider has taken the connection. */
  connected(): void;
  /** Something is awaited from now on; cheap enough for every token. */
  awaiting(): void;
  /** It arrived: the time until the next `awaiting` is the reader's own. */
  arrived(): void;
  /** The first token has arrived: from now on only silence counts. */
  began(): void;
  stop(): void;
}

interface CallClockDeps {
  /** Seconds. */
  readonly timeouts: ModelOptions['timeouts'];
  readonly now: () => number;
  /** Called at most once. */
  readonly onExpired: () => void;
}

/** Starts in phase `connect`. One timer a call, set again when it fires: tokens only write down the time. */
export function createCallClock({ timeouts, now, onExpired }: CallClockDeps): CallClock {
  let phase: CallPhase = 'connect';
  let since: number | undefined = now();
  let expired: CallPhase | undefined;
  let timer: NodeJS.Timeout | undefined;

  const limitMs = () => timeouts[phase] * 1_000;
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(check, Math.max(1, Math.ceil(ms)));
  };
  const check = () => {
    // A reader that is slow to take what has arrived is no fault of the provider.
    const leftMs = limitMs() - (since === undefined ? 0 : now() - since);
    if (leftMs > 0) return schedule(leftMs);
    expired = phase;
    onExpired();
  };
  const enter = (next: CallPhase) => {
    phase = next;
    since = now();
    schedule(limitMs());
  };
  schedule(limitMs());
  return {
    get expired() {
      return expired;
    },
    connected: () => {
      if (phase === 'connect') enter('first_token');
    },
    awaiting: () => {
      // Only in phase `silence` does every part start the waiting anew.
      if (phase === 'silence') since = now();
    },
    arrived: () => {
      if (phase === 'silence') since = undefined;
    },
    began: () => {
      enter('silence');
      since = undefined;
    },
    stop: () => clearTimeout(timer),
  };
}
