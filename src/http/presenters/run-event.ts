// A run event as the wire shows it (decisions, section 5).
import { z } from 'zod';
import type { ConversationMessage } from '../../runs/conversation.ts';
import type { RunEventRecord } from '../../storage/run-events.ts';
import { jsonObject } from '../json-object.ts';
import { feedbackBodySchema, presentFeedback } from './feedback.ts';
import { timestamp } from './timestamp.ts';

const runEventFields = {
  thread_id: z.string(),
  run_id: z.string(),
  seq: z.int(),
  event_type: z.string(),
  category: z.string(),
  content: z.json(),
  metadata: jsonObject,
  user_id: z.string().nullable(),
  created_at: z.string(),
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
