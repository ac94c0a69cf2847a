// Run events: the record of what happened in a run, kept for ever (docs/contract/record.md#events).
import type { Json, JsonObject } from '../messages/message.ts';

export type RunEventCategory =
  | 'message'
  | 'trace'
  | 'lifecycle'
  | 'middleware'
  | 'middleware:summarize'
  | 'subagent'
  | 'error';

/** JSON from whoever has it as a text already: it is stored as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface NewRunEvent<Content extends Json | JsonText = Json | JsonText> {
  readonly eventType: string;
  readonly category: RunEventCategory;
  /** A structured content is stored as JSON and restored on read. */
  readonly content: Content;
  readonly metadata: JsonObject;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface RunEventRecord extends NewRunEvent<Json> {
  readonly threadId: string;
  readonly runId: string;
  /** 1, 2, 3 ... inside the thread; holes are only where runs were deleted. */
  readonly seq: number;
  readonly userId: string | null;
}

/**
 * A message of the conversation is said anew, or taken out of it. The listings and the search follow; the event of the
 * message itself stays as it was recorded.
 */
export interface MessageRevision {
  readonly messageId: string;
  /**
   * `message_edited` or `message_removed`, with `checkpoint_id` in its metadata. It is recorded with the run that the
   * message is of, and not at all where no run recorded the message.
   */
  readonly event: NewRunEvent<Json>;
  /** The state did not have the message: it counts only as the return of one that was removed. */
  readonly isReturn: boolean;
}

export type EventCursor =
  | { readonly kind: 'newest' }
  | { readonly kind: 'before'; readonly seq: number }
  | { readonly kind: 'after'; readonly seq: number };

/** A page of events in rising `seq`. The newest ones, the newest ones before a `seq`, or the first ones after it. */
export interface EventPageQuery {
  /** Only those of this run. */
  readonly runId?: string;
  readonly cursor: EventCursor;
  readonly limit: number;
}

export interface RunEventQuery extends EventPageQuery {
  /** Only these; unknown ones are found nowhere. */
  readonly eventTypes?: readonly string[];
}

/** `hasMore`: there are older ones; after a cursor: newer ones. */
export interface EventPage {
  readonly events: readonly RunEventRecord[];
  readonly hasMore: boolean;
}

export interface RunEventRepository {
  list(threadId: string, query: RunEventQuery): Promise<EventPage>;
  /**
   * Events of the category `message` that are part of the conversation, with the messages as they read now: not those
   * of runs that were rolled back or replaced, nor those that a run or a state update from an older checkpoint has left
   * behind, nor messages that were removed, nor those that a run has said again.
   */
  messages(threadId: string, query: EventPageQuery): Promise<EventPage>;
  /** Those of the runs that have another `ai_message` in the conversation after `seq`. */
  repliedAfter(threadId: string, runIds: readonly string[], seq: number): Promise<ReadonlySet<string>>;
}

/** Removes run events whose category is kept for a time only. */
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
