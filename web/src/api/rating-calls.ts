// The calls about ratings of answers.
import * as z from 'zod/mini';
import { type Call, read, threadPath } from './call.ts';
import {
  type AnswerPage,
  type AnswerRating,
  answerIdSchema,
  type MessagePage,
  messagePageSchema,
} from './shapes.ts';

const PAGE_SIZE = 100;

export function createRatingCalls(call: Call) {
  const feedbackPath = (threadId: string, { runId }: AnswerRating) =>
    `${threadPath(threadId)}/runs/${encodeURIComponent(runId)}/feedback`;
  return {
    /** A page of what was recorded: the newest one, or the one before a place in the record. */
    async answersBefore(threadId: string, seq: number | undefined): Promise<AnswerPage> {
      const before = seq === undefined ? '' : `&before_seq=${seq}`;
      const path = `${threadPath(threadId)}/messages/page?limit=${PAGE_SIZE}${before}`;
      const { data, next_before_seq: next } = await read(await call('GET', path), messagePageSchema);
      const messages = data.flatMap((it) => idOf(it).map((id) => ({ id, runId: it.run_id })));
      return { messages, answers: data.flatMap(answerOf), next };
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

type RecordedMessage = MessagePage['data'][number];

function idOf({ content }: RecordedMessage): readonly string[] {
  const message = z.safeParse(answerIdSchema, content);
  return message.success ? [message.data.id] : [];
}

function answerOf(message: RecordedMessage): readonly AnswerRating[] {
  const { run_id: runId, feedback } = message;
  if (feedback === undefined) return [];
  const rating = feedback === null ? undefined : { value: feedback.rating, comment: feedback.comment ?? '' };
  return idOf(message).map((answerId) => ({ answerId, runId, rating }));
}
