// Full-text search over the titles and the messages of the threads that an owner sees.
import type { Mark, Snippet } from '../messages/search/search-marks.ts';
import type { SearchQuery } from '../messages/search/search-query.ts';
import type { ThreadRecord } from './threads.ts';

export interface FoundMessage {
  readonly runId: string;
  /** The `seq` of the run event that holds the message. */
  readonly seq: number;
  readonly messageId: string;
  readonly type: 'human' | 'ai';
  readonly createdAt: number;
  readonly snippet: Snippet;
}

export interface FoundThread extends Pick<ThreadRecord, 'threadId' | 'status' | 'createdAt' | 'updatedAt'> {
  readonly title: string | null;
  /** Matches in the title; none when only messages match. */
  readonly titleMarks: readonly Mark[];
  /**
   * The newest matching messages. When the title matches, only the last messages of the thread are searched.
   */
  readonly messages: readonly FoundMessage[];
}

interface FoundPage {
  /** Threads with a matching title first, then by the newest matching message. */
  readonly threads: readonly FoundThread[];
  readonly hasMore: boolean;
}

export interface MessageSearch {
  /**
   * Finds threads whose title, or one of whose messages, contains all terms. A query without terms finds
   * nothing.
   */
  find(query: SearchQuery, page: { readonly limit: number; readonly offset: number }): Promise<FoundPage>;
}

/** A place where the index differs from the record. */
export interface SearchIndexDifference {
  readonly threadId: string;
  /** The `seq` of the run event; `null` for the title. */
  readonly seq: number | null;
  readonly kind: 'missing' | 'surplus' | 'different';
}

/** The search index over all owners, for the service itself. All of it can be rebuilt from the record. */
export interface SearchIndex {
  /**
   * Indexes a bounded number of messages of a thread that waits for it: one from an earlier release, or one
   * for which `rebuild` was called. Returns whether there was such a thread.
   */
  catchUp(): Promise<boolean>;
  /**
   * Merges a bounded amount of recent index writes, so that searches stay fast. Writers do not wait for it.
   * Returns whether there was something to merge.
   */
  merge(): Promise<boolean>;
  /** Returns how a thread's part of the index differs from the record. */
  compare(threadId: string): Promise<readonly SearchIndexDifference[]>;
  /** Drops a thread's part of the index, which `catchUp` then rebuilds. */
  rebuild(threadId: string): Promise<void>;
}
