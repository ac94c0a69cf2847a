// Run events: the record of what happened in a run, kept for ever (contract, Run event).
import type { Json, JsonObject } from '../messages/message.ts';

export type RunEventCategory =
  | 'message'
  | 'trace'
  | 'lifecycle'
  | 'middleware'
  | 'middleware:summarize'
  | 'subagent'
  | 'error';

export interface NewRunEvent {
  readonly eventType: string;
  readonly category: RunEventCategory;
  /** A structured content is stored as JSON and restored on read. */
  readonly content: Json;
  readonly metadata: JsonObject;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface RunEventRecord extends NewRunEvent {
  readonly threadId: string;
  readonly runId: string;
  /** 1, 2, 3 ... inside the thread; holes are only where runs were deleted. */
  readonly seq: number;
  readonly userId: string | null;
}

/** A page of events in rising `seq`. No cursor, or `beforeSeq`, means the newest ones before it. */
export interface RunEventQuery {
  readonly runId?: string;
  readonly categories?: readonly RunEventCategory[];
  readonly eventTypes?: readonly string[];
  readonly cursor:
    | { readonly kind: 'newest' }
    | { readonly kind: 'before'; readonly seq: number }
    | { readonly kind: 'after'; readonly seq: number };
  readonly limit: number;
}

export interface RunEventRepository {
  list(
    threadId: string,
    query: RunEventQuery,
  ): Promise<{ readonly events: readonly RunEventRecord[]; readonly hasMore: boolean }>;
}
