// How often replies in small pieces are read: the more replies, the more pieces are read together.

/** A thousand replies are read every 120 ms: on a full core, tokens arrive sooner than by reading each. */
const MS_PER_RESPONSE = 0.12;
const LONGEST_MS = 120;
/** Shorter pauses cost more than they save. */
const SHORTEST_MS = 5;
/** A server that sends this much in one piece does not send at the pace of a model. */
const SMALL_BYTES = 1_024;

/** Shared by all replies that are read at the same time. */
export class ReadPace {
  #responses = 0;
  /** In the order in which they began, which is nearly the order in which they are due. */
  readonly #waiting: { readonly until: number; readonly resume: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Counts a reply as being read until the returned function is first called. */
  begin(): () => void {
    this.#responses++;
    let isOver = false;
    return () => {
      if (!isOver) this.#responses--;
      isOver = true;
    };
  }

  /** Called after a piece of `bytes` bytes. Returns a promise when the caller must wait before the next. */
  pause(bytes: number): Promise<void> | undefined {
    const ms = Math.min(this.#responses * MS_PER_RESPONSE, LONGEST_MS);
    if (ms < SHORTEST_MS || bytes >= SMALL_BYTES) return undefined;
    return new Promise((resume) => {
      this.#waiting.push({ until: performance.now() + ms, resume });
      this.#timer ??= setTimeout(() => this.#go(), ms);
    });
  }

  #go(): void {
    const now = performance.now();
    const later = this.#waiting.findIndex(({ until }) => until > now);
    const due = later === -1 ? this.#waiting.splice(0) : this.#waiting.splice(0, later);
    const [next] = this.#waiting;
    this.#timer =
      next === undefined ? undefined : setTimeout(() => this.#go(), Math.max(1, next.until - now));
    for (const { resume } of due) resume();
  }
}
