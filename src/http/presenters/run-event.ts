// Run events and feedback as the wire shows them (docs/contract/record.md#events).
import { z } from 'zod';
import type { ConversationMessage } from '../../runs/record/conversation.ts';
import type { FeedbackRecord } from '../../storage/feedback.ts';
import type { RunEventRecord } from '../../storage/run-events.ts';
import {
  anyJson,
  jsonObject,
  messageIdField,
  runIdField,
  threadIdField,
  timeField,
  timestamp,
  userIdField,
} from './wire-fields.ts';

const runEventFields = {
  thread_id: threadIdField,
  run_id: runIdField,
  seq: z.int(),
  event_type: z.string(),
  category: z.string(),
  content: anyJson,
  metadata: jsonObject,
  user_id: userIdField.nullable(),
  created_at: timeField,
};

export const runEventBodySchema = z.object(runEventFields).meta({ id: 'RunEvent' });

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

export const messageEventBodySchema = z
  .object({ ...runEventFields, feedback: feedbackBodySchema.nullable().optional() })
  .meta({ id: 'MessageEvent' });

export function presentRunEvent(event: RunEventRecord) {
  return {
    thread_id: event.threadId,
    run_id: event.runId,
    seq: event.seq,
    event_type: event.eventType,
    category: event.category,
    content: event.content,
    metadata: event.metadata,
    user_id: event.userId,
    created_at: timestamp(event.createdAt),
  };
}

/** `feedback` only where it may stand: on the last answer of a run. */
export function presentMessage({ event, feedback }: ConversationMessage) {
  if (feedback === undefined) return presentRunEvent(event);
  return { ...presentRunEvent(event), feedback: feedback && presentFeedback(feedback) };
}

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
