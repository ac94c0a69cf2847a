// The fields of events, messages and feedback that tests read.

export interface FeedbackJson {
  readonly feedback_id: string;
  readonly rating: number;
  readonly comment: string | null;
}

export interface EventJson {
  readonly run_id: string;
  readonly seq: number;
  readonly event_type: string;
  readonly category: string;
  /** The content of messages; other events have other contents. */
  readonly content: { readonly type: string; readonly content: string };
  readonly metadata: Record<string, unknown>;
  readonly feedback?: FeedbackJson | null;
}

export interface MessagePageJson {
  readonly data: readonly EventJson[];
  readonly has_more: boolean;
  readonly next_before_seq?: number | null;
}

export function seqsOf(events: readonly EventJson[]): readonly number[] {
  return events.map(({ seq }) => seq);
}
