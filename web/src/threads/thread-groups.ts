// Sorts threads into the periods of the list.
import type { Thread } from '../api/shapes.ts';
import { type Period, periodOf } from './relative-time.ts';

export interface ThreadGroup {
  readonly period: Period;
  readonly threads: readonly Thread[];
}

/** Threads newest first in, groups newest first out. */
export function groupThreads(threads: readonly Thread[], now: Date): readonly ThreadGroup[] {
  return [...Map.groupBy(threads, (thread) => periodOf(new Date(thread.state_updated_at), now))].map(
    ([period, members]) => ({ period, threads: members }),
  );
}
