// What of a thread's events a reader has seen that comes back with a number, and whether there is such an event still.
import type { NumberedEvent } from './protocol-event.ts';

/** Is told the events of the thread from the first one on that a reader is told now, run after run. */
export class SeenNumbers {
  /** Events up to this number were seen; absent once it is found among them. */
  #through: number | undefined;
  readonly #isHidden: boolean;

  /** `isHidden`: what was seen is not shown again. */
  constructor(through: number | undefined, isHidden: boolean) {
    this.#through = through;
    this.#isHidden = isHidden;
  }

  /** Whether no event that was told so far has the number. */
  get isOpen(): boolean {
    return this.#through !== undefined;
  }

  /** Whether the number is none of those that follow `base`. */
  isBefore(base: number): boolean {
    return this.#through !== undefined && this.#through <= base;
  }

  /** What of the events is to be shown; `lost`: the number stands between them and is that of none. */
  unseen(events: readonly NumberedEvent[]): readonly NumberedEvent[] | 'lost' {
    const through = this.#through;
    if (through === undefined) return events;
    const next = events.findIndex(({ seq }) => seq > through);
    const seen = next < 0 ? events.length : next;
    const isFound = events[seen - 1]?.seq === through;
    if (next >= 0 && !isFound) return 'lost';
    if (isFound) this.forget();
    return this.#isHidden ? events.slice(seen) : events;
  }

  /** Everything that follows is to be shown. */
  forget(): void {
    this.#through = undefined;
  }
}
