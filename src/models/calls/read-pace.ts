// How often replies in small pieces are read: the more replies, the more pieces are read together.
import { type CancelTimer, REAL_TIMERS, type Timers } from '../../timers.ts';
import type { ByteSource } from './byte-source.ts';

/** A thousand replies are read every 120 ms: on a full core, tokens arrive sooner than by reading each. */
const MS_PER_REPLY = 0.12;
const LONGEST_MS = 120;
/** Shorter pauses cost more than they save. */
const SHORTEST_MS = 5;
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

/** Shared by all replies of a model that are read at the same time. */
export class ReadPace {
  readonly #timers: Timers;
  #replies = 0;
  /** In the order in which they are due. */
  readonly #waiting: Waiting[] = [];
  #cancelTimer: CancelTimer | undefined;

  constructor(timers: Timers = REAL_TIMERS) {
    this.#timers = timers;
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
    const ms = Math.min(this.#replies * MS_PER_REPLY, LONGEST_MS, now - begunAt);
    if (ms < SHORTEST_MS || size >= SMALL_BYTES) return undefined;
    return new Promise((resume) => this.#wait({ until: now + ms, resume }));
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
