// The three time limits of a call: for the connection, for the first token, and for silence after it.
import type { ModelOptions } from '../model-options.ts';

export type CallPhase = 'connect' | 'first_token' | 'silence';

interface CallClockParts {
  /** Seconds. */
  readonly timeouts: ModelOptions['timeouts'];
  readonly now: () => number;
  /** Called at most once. */
  readonly onExpired: () => void;
}

/** Starts in phase `connect`. One timer per call, set again when it fires. Tokens only record the time. */
export class CallClock {
  readonly #parts: CallClockParts;
  #phase: CallPhase = 'connect';
  #since: number | undefined;
  #expired: CallPhase | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: CallClockParts) {
    this.#parts = parts;
    this.#enter('connect');
  }

  get expired(): CallPhase | undefined {
    return this.#expired;
  }

  connected(): void {
    if (this.#phase === 'connect') this.#enter('first_token');
  }

  /** Called when a part is awaited; cheap enough for every token. */
  awaiting(): void {
    // Only in phase `silence` does every part restart the wait.
    if (this.#phase === 'silence') this.#since = this.#parts.now();
  }

  /** Called when the part has arrived. The time until the next `awaiting` is the reader's. */
  arrived(): void {
    if (this.#phase === 'silence') this.#since = undefined;
  }

  /** Called when the first token has arrived. From then on only silence counts. */
  began(): void {
    this.#enter('silence');
    this.#since = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #enter(phase: CallPhase): void {
    this.#phase = phase;
    this.#since = this.#parts.now();
    this.#schedule(this.#limitMs);
  }

  get #limitMs(): number {
    return this.#parts.timeouts[this.#phase] * 1_000;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), Math.max(1, Math.ceil(ms)));
  }

  #check(): void {
    // A reader that is slow to take what has arrived is not the provider's fault.
    const since = this.#since;
    const leftMs = this.#limitMs - (since === undefined ? 0 : this.#parts.now() - since);
    if (leftMs > 0) {
      this.#schedule(leftMs);
      return;
    }
    this.#expired = this.#phase;
    this.#parts.onExpired();
  }
}
