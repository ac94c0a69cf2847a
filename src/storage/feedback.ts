// Feedback: a person's rating of a run's reply (docs/contract/record.md#feedback).

type FeedbackRating = 1 | -1;

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

/**
 * One row per thread, run and user. `'absent'`: the owner has no such run on such a thread. Shared threads do
 * not count.
 */
export interface FeedbackRepository {
  /**
   * Creates the owner's feedback. `'exists'`: the owner has already rated this run. Of several concurrent
   * calls, one creates.
   */
  create(feedback: NewFeedback): Promise<FeedbackRecord | 'exists' | 'absent'>;
  /** Creates the owner's feedback, or replaces all of it except its id. */
  put(feedback: NewFeedback): Promise<FeedbackRecord | 'absent'>;
  /** Returns the feedback on these runs of the thread, oldest first. */
  list(threadId: string, runIds: readonly string[]): Promise<readonly FeedbackRecord[]>;
  stats(threadId: string, runId: string): Promise<FeedbackStats>;
  /**
   * Deletes the owner's feedback on the run; with an id, only if it has that id. Returns `false` when there
   * was none.
   */
  delete(run: { readonly threadId: string; readonly runId: string }, feedbackId?: string): Promise<boolean>;
}
