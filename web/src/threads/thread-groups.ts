// Sorts threads into the periods of the list and filters them by title.
import type { Thread } from '../api/shapes.ts';
import { type Period, periodOf } from './relative-time.ts';
import { titleOf } from './thread-queries.ts';

export interface ThreadGroup {
  readonly period: Period;
  readonly threads: readonly Thread[];
}

/** Threads newest first in, groups newest first out; every word of `query` must be in the title. */
export function groupThreads(threads: readonly Thread[], query: string, now: Date): readonly ThreadGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = threads.filter((thread) => {
    const title = titleOf(thread).toLowerCase();
    return words.every((word) => title.includes(word));
  });
  return [...Map.groupBy(found, (thread) => periodOf(new Date(thread.updated_at), now))].map(
    ([period, members]) => ({ period, threads: members }),
  );
}
