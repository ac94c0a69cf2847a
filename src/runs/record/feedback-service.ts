// A person's feedback on a run's reply: one row for each run and person.
import { conflict, notFound } from '../../errors.ts';
import type { FeedbackRecord, FeedbackStats } from '../../storage/feedback.ts';
import type { Repositories } from '../../storage/storage.ts';

export type RatedRun = Pick<FeedbackRecord, 'threadId' | 'runId'>;

export type Rating = Pick<FeedbackRecord, 'rating' | 'comment' | 'messageId'>;

/** All methods throw `not_found` for a run that the person does not have. */
export interface FeedbackService {
  /** Throws `conflict` when the person has rated the run already. */
  create(repositories: Repositories, run: RatedRun, rating: Rating): Promise<FeedbackRecord>;
  put(repositories: Repositories, run: RatedRun, rating: Rating): Promise<FeedbackRecord>;
  list(repositories: Repositories, run: RatedRun): Promise<readonly FeedbackRecord[]>;
  stats(repositories: Repositories, run: RatedRun): Promise<FeedbackStats>;
  /** Deletes the person's rating; with an id, only if it has that id. Throws `not_found` if there is none. */
  delete(repositories: Repositories, run: RatedRun, feedbackId?: string): Promise<void>;
}

interface FeedbackServiceParts {
  readonly now: () => number;
  readonly newId: () => string;
}

export function createFeedbackService({ now, newId }: FeedbackServiceParts): FeedbackService {
  const made = ({ threadId, runId }: RatedRun, rating: Rating) => ({
    feedbackId: newId(),
    threadId,
    runId,
    ...rating,
    createdAt: now(),
  });
  return {
    async create({ feedback }, run, rating) {
      const created = await feedback.create(made(run, rating));
      if (created === 'absent') throw notFound('Run');
      if (created === 'exists')
        throw conflict('You have already rated this run. Change that rating instead.');
      return created;
    },
    async put({ feedback }, run, rating) {
      const written = await feedback.put(made(run, rating));
      if (written === 'absent') throw notFound('Run');
      return written;
    },
    list: ({ feedback }, { threadId, runId }) => feedback.list(threadId, [runId]),
    stats: ({ feedback }, { threadId, runId }) => feedback.stats(threadId, runId),
    async delete({ feedback }, run, feedbackId) {
      if (!(await feedback.delete(run, feedbackId))) throw notFound('Feedback');
    },
  };
}
