// Feedback: what a person thinks of a run's answer (docs/contract/record.md#feedback).

export type FeedbackRating = 1 | -1;

export interface FeedbackRecord {
  readonly feedbackId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly userId: string;
  readonly messageId: string | null;
  readonly rating: FeedbackRating;
  readonly comment: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export type NewFeedback = Omit<FeedbackRecord, 'userId'>;

export interface FeedbackStats {
  readonly count: number;
  readonly sum: number;
  readonly positive: number;
  readonly negative: number;
}

/** One row per thread, run and user. `'absent'`: the owner has no such run on such a thread; shared ones do not count. */
export interface FeedbackRepository {
  /** `'exists'`: the owner has rated this run already. Of several at once, one is created. */
  create(feedback: NewFeedback): Promise<FeedbackRecord | 'exists' | 'absent'>;
  /** Creates the owner's, or replaces all of it but its id. */
  put(feedback: NewFeedback): Promise<FeedbackRecord | 'absent'>;
  /** Of these runs of the thread, oldest first. */
  list(threadId: string, runIds: readonly string[]): Promise<readonly FeedbackRecord[]>;
  stats(threadId: string, runId: string): Promise<FeedbackStats>;
  /** The owner's feedback of the run; with an id, only if it has that id. `false`: there was none. */
  delete(run: { readonly threadId: string; readonly runId: string }, feedbackId?: string): Promise<boolean>;
}
