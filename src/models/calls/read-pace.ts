// How often replies in small pieces are read: the more replies, and the busier the process, the more pieces are
// read together.
import { type CancelTimer, REAL_TIMERS, type Timers } from '../../timers.ts';
import type { ByteSource } from './byte-source.ts';

/** With 833 replies or more, each is read every 100 ms: on a full core, tokens arrive sooner than by reading each. */
const MS_PER_REPLY = 0.12;
const LONGEST_MS = 100;
/** Shorter pauses cost more than they save. */
const SHORTEST_MS = 5;
/** While the process has no time to spare, pauses grow step by step, up to this many times their length. */
const MOST_STRETCH = 2;
const STEP = 1.1;
const CHECK_MS = 250;
/** Shares of the time in which the event loop works. Between the two, pauses stay as they are. */
const SPARE = 0.93;
const FULL = 0.97;
/** A server that sends this much in one piece does not send at the pace of a model. */
const SMALL_BYTES = 1_024;

interface Waiting {
  readonly until: number;
  readonly resume: () => void;
}

/** A reply when it was last read. */
interface LastRead {
  /** The size of the last piece. */
  readonly size: number;
  /** When the first piece arrived. */
  readonly begunAt: number;
}

interface ReadPaceParts {
  readonly timers?: Timers;
  /** Returns the share of the time since its last call in which the event loop worked. */
  readonly load?: () => number;
}

/** Shared by all replies of a model that are read at the same time. */
export class ReadPace {
  readonly #timers: Timers;
  readonly #load: () => number;
  #stretch = 1;
  #checkedAt = 0;
  #replies = 0;
  /** In the order in which they are due. */
  readonly #waiting: Waiting[] = [];
  #cancelTimer: CancelTimer | undefined;

  constructor({ timers = REAL_TIMERS, load = createLoopLoad() }: ReadPaceParts = {}) {
    this.#timers = timers;
    this.#load = load;
  }

  /** Counts a reply as being read until it has ended, failed, or been cancelled. */
  begin(bytes: ByteSource): PacedReply {
    this.#replies++;
    return new PacedReply({
      bytes,
      now: () => this.#timers.elapsed(),
      pause: (last) => this.#pause(last),
      onEnd: () => this.#replies--,
    });
  }

  /**
   * Returns a promise when the reader must wait before it reads on. A reply never waits for longer than it has
   * been arriving, so the first token is read at once: it follows the beginning of the reply immediately.
   */
  #pause({ size, begunAt }: LastRead): Promise<void> | undefined {
    const now = this.#timers.elapsed();
    this.#adapt(now);
    const wanted = Math.min(this.#replies * MS_PER_REPLY, LONGEST_MS) * this.#stretch;
    const ms = Math.min(wanted, now - begunAt);
    if (ms < SHORTEST_MS || size >= SMALL_BYTES) return undefined;
    return new Promise((resume) => this.#wait({ until: now + ms, resume }));
  }

  #adapt(now: number): void {
    if (now - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = now;
    const load = this.#load();
    if (load > FULL) this.#stretch = Math.min(this.#stretch * STEP, MOST_STRETCH);
    else if (load < SPARE) this.#stretch = Math.max(this.#stretch / STEP, 1);
  }

  #wait(waiting: Waiting): void {
    const place = this.#waiting.findLastIndex(({ until }) => until <= waiting.until) + 1;
    this.#waiting.splice(place, 0, waiting);
    if (place === 0) this.#setTimer();
  }

  #setTimer(): void {
    this.#cancelTimer?.();
    const [next] = this.#waiting;
    this.#cancelTimer =
      next && this.#timers.after(Math.max(1, next.until - this.#timers.elapsed()), () => this.#go());
  }

  #go(): void {
    const now = this.#timers.elapsed();
    const later = this.#waiting.findIndex(({ until }) => until > now);
    const due = this.#waiting.splice(0, later === -1 ? this.#waiting.length : later);
    this.#setTimer();
    for (const { resume } of due) resume();
  }
}

function createLoopLoad(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

interface PacedReplyParts {
  readonly bytes: ByteSource;
  readonly now: () => number;
  readonly pause: (last: LastRead) => Promise<void> | undefined;
  readonly onEnd: () => void;
}

/** The bytes of one reply, at the pace of all. */
export class PacedReply {
  readonly #parts: PacedReplyParts;
  #isOver = false;
  #last: LastRead | undefined;

  constructor(parts: PacedReplyParts) {
    this.#parts = parts;
  }

  /** Returns all bytes that have arrived since the last read, or what arrives next; `undefined` at the end. */
  async read(): Promise<Uint8Array | undefined> {
    const { bytes, now, pause } = this.#parts;
    const paused = this.#last === undefined || this.#isOver ? undefined : pause(this.#last);
    if (paused !== undefined) {
      bytes.hold();
      await paused;
    }
    try {
      const piece = await bytes.read();
      if (piece === undefined) this.finish();
      else this.#last = { size: piece.length, begunAt: this.#last?.begunAt ?? now() };
      return piece;
    } catch (thrown) {
      this.finish();
      throw thrown;
    }
  }

  /** Reads what follows without pauses. Idempotent. */
  finish(): void {
    if (!this.#isOver) this.#parts.onEnd();
    this.#isOver = true;
  }

  cancel(reason: unknown): Promise<void> {
    this.finish();
    return this.#parts.bytes.cancel(reason);
  }
}
