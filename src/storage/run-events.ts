// Run events: the record of what happened in a run (docs/contract/record.md#events).
import type { Json, JsonObject } from '../messages/message.ts';

export const RUN_EVENT_CATEGORIES = [
  'message',
  'trace',
  'lifecycle',
  'middleware',
  'middleware:summarize',
  'subagent',
  'error',
] as const;

export type RunEventCategory = (typeof RUN_EVENT_CATEGORIES)[number];

/** JSON that the caller already has as text. It is stored unchanged. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface NewRunEvent<Content extends Json | JsonText = Json | JsonText> {
  readonly eventType: string;
  readonly category: RunEventCategory;
  /** Structured content is stored as JSON and restored on read. */
  readonly content: Content;
  readonly metadata: JsonObject;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface RunEventRecord extends NewRunEvent<Json> {
  readonly threadId: string;
  readonly runId: string;
  /** 1, 2, 3 ... within the thread, with gaps where runs were deleted or retention removed events. */
  readonly seq: number;
  readonly userId: string | null;
}

/**
 * An edit to a message of the conversation, or its removal. Listings and search show the result; the event of
 * the message itself stays as recorded.
 */
export interface MessageRevision {
  readonly messageId: string;
  /**
   * `message_edited` or `message_removed`, with `checkpoint_id` in its metadata. It is recorded with the run
   * of the message, and not at all when no run recorded the message.
   */
  readonly event: NewRunEvent<Json>;
  /** True when the state did not have the message. It then counts only as the return of a removed message. */
  readonly isReturn: boolean;
}

export type EventCursor =
  | { readonly kind: 'newest' }
  | { readonly kind: 'before'; readonly seq: number }
  | { readonly kind: 'after'; readonly seq: number };

/** A page of events in rising `seq`: the newest ones, the newest before a `seq`, or the first after it. */
export interface EventPageQuery {
  /** Only events of this run. */
  readonly runId?: string;
  readonly cursor: EventCursor;
  readonly limit: number;
}

export interface RunEventQuery extends EventPageQuery {
  /** Only these types. Unknown types match nothing. */
  readonly eventTypes?: readonly string[];
}

/** `hasMore`: there are older events, or newer ones with an `after` cursor. */
export interface EventPage {
  readonly events: readonly RunEventRecord[];
  readonly hasMore: boolean;
}

export interface RunEventRepository {
  list(threadId: string, query: RunEventQuery): Promise<EventPage>;
  /**
   * Returns the events of category `message` that are part of the conversation, with the messages as they
   * read now. Omits messages of runs that were rolled back or replaced, messages left behind by a run or a
   * state update that continued from an older checkpoint, removed messages, and messages that a run repeated.
   */
  messages(threadId: string, query: EventPageQuery): Promise<EventPage>;
  /** Returns those of the runs that have another `ai_message` in the conversation after `seq`. */
  repliedAfter(threadId: string, runIds: readonly string[], seq: number): Promise<ReadonlySet<string>>;
}

/** Removes run events whose category is kept for a limited time. */
export interface EventRetention {
  /**
   * Removes the events of one kind from up to `limit` runs that ended before `endedBefore`, in the order of
   * their ends, and stores its progress. Returns the number of runs. Totals, state and other events stay;
   * `seq` gets gaps. When several processes call it concurrently, one waits for the other.
   */
  removeNext(step: {
    /** The name of the kind, under which progress is stored. */
    readonly kind: string;
    readonly categories: readonly RunEventCategory[];
    /** Epoch milliseconds. */
    readonly endedBefore: number;
    readonly limit: number;
  }): Promise<number>;
}
