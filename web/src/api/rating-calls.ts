// The calls about ratings of answers.
import * as z from 'zod/mini';
import { type Call, read, threadPath } from './call.ts';
import { type AnswerRating, answerIdSchema, type MessagePage, messagePageSchema } from './shapes.ts';

/** Answers further back than so many pages of messages are not rated. */
const RATED_PAGES = 5;
const RATED_PAGE_SIZE = 200;

export function createRatingCalls(call: Call) {
  const feedbackPath = (threadId: string, { runId }: AnswerRating) =>
    `${threadPath(threadId)}/runs/${encodeURIComponent(runId)}/feedback`;
  return {
    /** The newest answers that can be rated, with their ratings, by the ids of their messages. */
    async ratings(threadId: string): Promise<ReadonlyMap<string, AnswerRating>> {
      const answers = new Map<string, AnswerRating>();
      let before = '';
      for (let page = 0; page < RATED_PAGES; page++) {
        const path = `${threadPath(threadId)}/messages/page?limit=${RATED_PAGE_SIZE}${before}`;
        const { data, next_before_seq: next } = await read(await call('GET', path), messagePageSchema);
        for (const answer of data.flatMap((message) => answerOf(message) ?? []))
          answers.set(answer.answerId, answer);
        if (next === null) break;
        before = `&before_seq=${next}`;
      }
      return answers;
    },
    rate: (threadId: string, answer: AnswerRating, { value, comment }: NonNullable<AnswerRating['rating']>) =>
      call('PUT', feedbackPath(threadId, answer), {
        rating: value,
        message_id: answer.answerId,
        comment: comment === '' ? null : comment,
      }),
    unrate: (threadId: string, answer: AnswerRating) => call('DELETE', feedbackPath(threadId, answer)),
  };
}

function answerOf({
  run_id: runId,
  content,
  feedback,
}: MessagePage['data'][number]): AnswerRating | undefined {
  const message = z.safeParse(answerIdSchema, content);
  if (feedback === undefined || !message.success) return undefined;
  const rating = feedback === null ? undefined : { value: feedback.rating, comment: feedback.comment ?? '' };
  return { answerId: message.data.id, runId, rating };
}
