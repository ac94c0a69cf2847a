// Places for one kind of work, limited in total and for each owner. Owners that wait take turns.

export interface FairShareLimits {
  /** Places of all owners together. */
  readonly total: number;
  /** Places of one owner. If this is less than `total`, one owner cannot take all places. */
  readonly perOwner: number;
  /** Maximum number of waiting work items of one owner. */
  readonly waitingPerOwner: number;
  /** Maximum waiting time; `Infinity` means until it is its turn. */
  readonly longestWaitMs: number;
}

/** Why there was no place. */
export type Refusal =
  | { readonly kind: 'cancelled' }
  | {
      readonly kind: 'refused';
      readonly why: 'too_many_waiting' | 'waited_too_long';
      /** Time after which a place is likely, estimated from how long places were held recently. */
      readonly retryAfterSeconds: number;
    };

export type Turn = { readonly kind: 'given'; readonly release: () => void } | Refusal;

export interface FairShare {
  /**
   * Resolves with a place, immediately while one is free. Otherwise, work of an owner waits in the order in
   * which it came, and each waiting owner gets a place before any of them gets another. `release` may be
   * called more than once. Never rejects. `null`, no owner, is treated like the other owners.
   */
  take(owner: string | null, signal: AbortSignal): Promise<Turn>;
  /**
   * Does the work in a place and releases the place however the work ends. Rejects only when the work does.
   */
  use<Result>(
    owner: string | null,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<{ readonly kind: 'done'; readonly result: Result } | Refusal>;
}

export interface FairShareClock {
  /** Milliseconds since an arbitrary moment. */
  elapsed(): number;
  /** Does the work once, after the delay. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

export function createFairShare(limits: FairShareLimits, clock: FairShareClock = REAL_CLOCK): FairShare {
  return new Pool(limits, clock);
}

const REAL_CLOCK: FairShareClock = {
  elapsed: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** The weight of a new holding time in the average. */
const WEIGHT = 0.2;
const SUPPOSED_MS = 1_000;
const LONGEST_RETRY_SECONDS = 3_600;

interface Share {
  held: number;
  /** Functions that give the waiting work its places, in the order in which it came. */
  readonly waiting: Set<() => void>;
}

class Pool implements FairShare {
  readonly #limits: FairShareLimits;
  readonly #clock: FairShareClock;
  readonly #shares = new Map<string | null, Share>();
  /** Owners that wait and may have another place, in the order of their turns. Empty while a place is free. */
  readonly #turns = new Set<string | null>();
  #free: number;
  #averageMs = SUPPOSED_MS;

  constructor(limits: FairShareLimits, clock: FairShareClock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#free = limits.total;
  }

  async take(owner: string | null, signal: AbortSignal): Promise<Turn> {
    if (signal.aborted) return { kind: 'cancelled' };
    const share = this.#shares.get(owner) ?? { held: 0, waiting: new Set() };
    if (this.#free > 0 && share.held < this.#limits.perOwner) {
      this.#shares.set(owner, share);
      return this.#give(owner, share);
    }
    if (share.waiting.size >= this.#limits.waitingPerOwner) return this.#refusal('too_many_waiting', share);
    this.#shares.set(owner, share);
    return this.#wait(owner, share, signal);
  }

  async use<Result>(owner: string | null, signal: AbortSignal, work: () => Promise<Result>) {
    const turn = await this.take(owner, signal);
    if (turn.kind !== 'given') return turn;
    try {
      return { kind: 'done', result: await work() } as const;
    } finally {
      turn.release();
    }
  }

  #wait(owner: string | null, share: Share, signal: AbortSignal): Promise<Turn> {
    const { promise, resolve } = Promise.withResolvers<Turn>();
    const end = (turn: Turn): void => {
      cancelTimer();
      signal.removeEventListener('abort', leave);
      resolve(turn);
    };
    const give = (): void => end(this.#give(owner, share));
    const giveUp = (refusal: Refusal): void => {
      share.waiting.delete(give);
      if (share.waiting.size === 0) this.#turns.delete(owner);
      this.#forgetIdle(owner, share);
      end(refusal);
    };
    const leave = (): void => giveUp({ kind: 'cancelled' });
    const { longestWaitMs } = this.#limits;
    const cancelTimer = Number.isFinite(longestWaitMs)
      ? this.#clock.after(longestWaitMs, () => giveUp(this.#refusal('waited_too_long', share)))
      : () => {};
    signal.addEventListener('abort', leave, { once: true });
    share.waiting.add(give);
    if (share.held < this.#limits.perOwner) this.#turns.add(owner);
    return promise;
  }

  #give(owner: string | null, share: Share): Turn {
    const since = this.#clock.elapsed();
    this.#free--;
    share.held++;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#averageMs += WEIGHT * (this.#clock.elapsed() - since - this.#averageMs);
      this.#free++;
      share.held--;
      // Behind the owners that wait already, because an owner at its limit has not been waiting for a turn.
      if (share.waiting.size > 0) this.#turns.add(owner);
      this.#forgetIdle(owner, share);
      this.#nextTurn();
    };
    return { kind: 'given', release };
  }

  #nextTurn(): void {
    const [owner] = this.#turns;
    const share = owner === undefined ? undefined : this.#shares.get(owner);
    const [give] = share?.waiting ?? [];
    if (owner === undefined || share === undefined || give === undefined) return;
    share.waiting.delete(give);
    this.#turns.delete(owner);
    give();
    if (share.waiting.size > 0 && share.held < this.#limits.perOwner) this.#turns.add(owner);
  }

  #forgetIdle(owner: string | null, share: Share): void {
    if (share.held === 0 && share.waiting.size === 0) this.#shares.delete(owner);
  }

  #refusal(why: 'too_many_waiting' | 'waited_too_long', { waiting }: Share): Refusal {
    const rounds = (waiting.size + 1) / Math.min(this.#limits.perOwner, this.#limits.total);
    const seconds = Math.ceil((rounds * this.#averageMs) / 1_000);
    return { kind: 'refused', why, retryAfterSeconds: Math.min(Math.max(seconds, 1), LONGEST_RETRY_SECONDS) };
  }
}

/** Returns the sentence for the user. `work` is in the plural: `commands`. */
export function refusalSentence(
  { why, retryAfterSeconds }: Extract<Refusal, { kind: 'refused' }>,
  work: string,
): string {
  const reason =
    why === 'too_many_waiting'
      ? `Too many of your ${work} are waiting already`
      : `Other ${work} took all the places for too long`;
  const seconds = retryAfterSeconds === 1 ? 'a second' : `${retryAfterSeconds} seconds`;
  return `${reason}. Try again in ${seconds}.`;
}
