// A run event as the wire shows it (docs/contract/record.md#events).
import { z } from 'zod';
import type { ConversationMessage } from '../../runs/record/conversation.ts';
import type { RunEventRecord } from '../../storage/run-events.ts';
import { jsonObject } from '../api/json-object.ts';
import { feedbackBodySchema, presentFeedback } from './feedback.ts';
import { timestamp } from './timestamp.ts';
import { anyJson, runIdField, threadIdField, timeField, userIdField } from './wire-fields.ts';

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
