// Feedback as the wire shows it (docs/contract/record.md#feedback).
import { z } from 'zod';
import type { FeedbackRecord } from '../../storage/feedback.ts';
import { timestamp } from './timestamp.ts';
import { messageIdField, runIdField, threadIdField, timeField, userIdField } from './wire-fields.ts';

export const feedbackBodySchema = z
  .object({
    feedback_id: z.string(),
    thread_id: threadIdField,
    run_id: runIdField,
    user_id: userIdField,
    message_id: messageIdField.nullable(),
    rating: z.union([z.literal(1), z.literal(-1)]),
    comment: z.string().nullable(),
    created_at: timeField,
  })
  .meta({ id: 'Feedback' });

export function presentFeedback(feedback: FeedbackRecord): z.output<typeof feedbackBodySchema> {
  return {
    feedback_id: feedback.feedbackId,
    thread_id: feedback.threadId,
    run_id: feedback.runId,
    user_id: feedback.userId,
    message_id: feedback.messageId,
    rating: feedback.rating,
    comment: feedback.comment,
    created_at: timestamp(feedback.createdAt),
  };
}
