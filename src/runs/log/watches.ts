// Readers that wait for news of a run or a thread.
import type { Timers } from '../../timers.ts';

/** What one reader waits for. Its signal wakes it as well. */
export class Watch {
  /** Ends the watch. Without it, what is watched stays in memory. */
  readonly stop: () => void;
  readonly #timers: Timers;
  #isWoken = false;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(timers: Timers, stop: () => void) {
    this.#timers = timers;
    this.stop = stop;
  }

  /** Forgets what has happened so far. */
  begin(): void {
    this.#isWoken = false;
  }

  wake(): void {
    this.#isWoken = true;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  /** Resolves when there was news since `begin`, and at the latest after this time; absent: no limit. */
  async woken(withinMs?: number): Promise<void> {
    if (this.#isWoken) return;
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    const cancel = withinMs === undefined ? undefined : this.#timers.after(withinMs, () => this.wake());
    await promise;
    cancel?.();
  }
}

/** The watches of all readers, by the id of what they watch. */
export class Watches {
  readonly #watched = new Map<string, Set<Watch>>();

  watch(id: string, { signal, timers }: { readonly signal: AbortSignal; readonly timers: Timers }): Watch {
    const watches = this.#watched.get(id) ?? new Set();
    this.#watched.set(id, watches);
    const wake = (): void => watch.wake();
    const watch = new Watch(timers, () => {
      signal.removeEventListener('abort', wake);
      watches.delete(watch);
      if (watches.size === 0 && this.#watched.get(id) === watches) this.#watched.delete(id);
    });
    signal.addEventListener('abort', wake, { once: true });
    watches.add(watch);
    return watch;
  }

  /** Reports news of this id. */
  wake(id: string): void {
    for (const watch of this.#watched.get(id) ?? []) watch.wake();
  }

  /** Reports that there may be news of all of them. */
  wakeAll(): void {
    for (const watches of this.#watched.values()) for (const watch of watches) watch.wake();
  }
}
