// Run events and feedback in their wire format (docs/contract/record.md#events).
import { z } from 'zod';
import type { ConversationMessage } from '../../runs/record/conversation.ts';
import { presenterOf } from './presenter-of.ts';
import {
  anyJson,
  jsonObject,
  messageIdField,
  runIdField,
  threadIdField,
  timeField,
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

export const presentRunEvent = presenterOf(runEventBodySchema);

export const presentFeedback = presenterOf(feedbackBodySchema);

/** Returns a message. `feedback` is present only where it is allowed: on the last reply of a run. */
export function presentMessage({ event, feedback }: ConversationMessage) {
  if (feedback === undefined) return presentRunEvent(event);
  return { ...presentRunEvent(event), feedback: feedback && presentFeedback(feedback) };
}
