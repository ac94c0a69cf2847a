// Threads that were made for one stateless run and go with it (docs/contract/runs.md#creating).
import type { ThreadRecord } from './threads.ts';

/** Of all owners, for the service itself. */
export interface TemporaryThreads {
  /**
   * Up to `limit` temporary threads that nobody removed: no run of theirs goes on, and nothing has changed since
   * `before` (epoch milliseconds). Oldest first.
   */
  abandoned(query: { readonly before: number; readonly limit: number }): Promise<readonly ThreadRecord[]>;
}
