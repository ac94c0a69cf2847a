// How often answers that come in small pieces are read: the more of them at once, the more pieces are read together.

/** A thousand answers are read every 120 ms: on a full core their tokens come sooner than if each were read at once. */
const MS_PER_RESPONSE = 0.12;
const LONGEST_MS = 120;
/** Shorter pauses cost more than they save. */
const SHORTEST_MS = 5;
/** Whoever sends this much at once is not at the pace of a model that is thinking. */
const SMALL_BYTES = 1_024;

interface Waiting {
  readonly until: number;
  readonly resume: () => void;
}

/** Shared by all answers that are read at the same time. */
export class ReadPace {
  #responses = 0;
  /** In the order in which they began, which is nearly that in which they are due. */
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** An answer is being read from now on, until the function is called the first time. */
  begin(): () => void {
    this.#responses++;
    let isOver = false;
    return () => {
      if (!isOver) this.#responses--;
      isOver = true;
    };
  }

  /** After a piece of so many bytes: a promise when the next one is to be waited for. */
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
