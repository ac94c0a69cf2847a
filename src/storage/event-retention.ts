// Removes run events whose category is kept for a time only.
import type { RunEventCategory } from './run-events.ts';

export interface EventRetention {
  /**
   * Removes the events of one kind of up to `limit` runs that ended before, in the order of their ends, and remembers
   * how far it came; how many runs those were. Totals, state and other events stay; `seq` gets holes. Several processes
   * may do it at once: one waits for the other.
   */
  removeNext(step: {
    /** A name for the kind; what it came to is remembered under it. */
    readonly kind: string;
    readonly categories: readonly RunEventCategory[];
    /** Epoch milliseconds. */
    readonly endedBefore: number;
    readonly limit: number;
  }): Promise<number>;
}
