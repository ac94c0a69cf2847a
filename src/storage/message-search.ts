// Full-text search over the titles and the messages of the threads that an owner sees.
import type { Mark, Snippet } from '../messages/search/search-marks.ts';
import type { SearchQuery } from '../messages/search/search-query.ts';
import type { ThreadStatus } from './threads.ts';

export interface FoundMessage {
  readonly runId: string;
  /** Of the run event that holds the message. */
  readonly seq: number;
  readonly messageId: string;
  readonly type: 'human' | 'ai';
  readonly createdAt: number;
  readonly snippet: Snippet;
}

export interface FoundThread {
  readonly threadId: string;
  readonly title: string | null;
  /** Where the title has what was searched for; none when only messages have it. */
  readonly titleMarks: readonly Mark[];
  readonly status: ThreadStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The newest messages that have it; with a title that has it, of the last messages of the thread. */
  readonly messages: readonly FoundMessage[];
}

interface FoundPage {
  /** Those whose title has it first, then by their newest message that has it. */
  readonly threads: readonly FoundThread[];
  readonly hasMore: boolean;
}

export interface MessageSearch {
  /** All terms must stand in the title, or in one message. A query without terms finds nothing. */
  find(query: SearchQuery, page: { readonly limit: number; readonly offset: number }): Promise<FoundPage>;
}

/** What the index does not have as the record has it. */
export interface SearchIndexDifference {
  readonly threadId: string;
  /** Of the run event; `null` for the title. */
  readonly seq: number | null;
  readonly kind: 'missing' | 'surplus' | 'different';
}

/** The index as the service keeps it, over all owners. It is a copy: all of it can be made again from the record. */
export interface SearchIndex {
  /**
   * Indexes a bounded number of messages of a thread that waits for it: one of an earlier release, or one that
   * `rebuild` was called for. Whether there was such a thread.
   */
  catchUp(): Promise<boolean>;
  /**
   * Merges a bounded amount of what was written into the index since, so that searches stay quick; nobody who writes waits
   * for it. Whether there was something to merge.
   */
  merge(): Promise<boolean>;
  /** How a thread's part of the index differs from the record. */
  compare(threadId: string): Promise<readonly SearchIndexDifference[]>;
  /** Drops a thread's part of the index and has it made again by `catchUp`. */
  rebuild(threadId: string): Promise<void>;
}
