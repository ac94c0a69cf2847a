// A thread that a search found, as the wire shows it.
import { z } from 'zod';
import type { FoundMessage, FoundThread } from '../../storage/message-search.ts';
import { timestamp } from './timestamp.ts';
import { messageIdField, runIdField, threadIdField, timeField } from './wire-fields.ts';

/** Ranges instead of markup: texts of people and models are never HTML. */
const marksSchema = z
  .array(z.tuple([z.int(), z.int()]))
  .meta({ description: 'Pairs of start and end in UTF-16 units, the end being behind the last one' });

const foundMessageSchema = z.object({
  run_id: runIdField,
  seq: z.int(),
  message_id: messageIdField,
  role: z.enum(['user', 'assistant']),
  created_at: timeField,
  snippet: z.string(),
  marks: marksSchema,
});

export const foundThreadSchema = z
  .object({
    thread_id: threadIdField,
    title: z.string().nullable(),
    title_marks: marksSchema,
    status: z.enum(['idle', 'busy', 'interrupted', 'error']),
    created_at: timeField,
    updated_at: timeField,
    matches: z.array(foundMessageSchema),
  })
  .meta({ id: 'FoundThread' });

export function presentFoundThread(thread: FoundThread): z.output<typeof foundThreadSchema> {
  return {
    thread_id: thread.threadId,
    title: thread.title,
    title_marks: thread.titleMarks.map(([start, end]) => [start, end]),
    status: thread.status,
    created_at: timestamp(thread.createdAt),
    updated_at: timestamp(thread.updatedAt),
    matches: thread.messages.map(presentFoundMessage),
  };
}

function presentFoundMessage(message: FoundMessage): z.output<typeof foundMessageSchema> {
  return {
    run_id: message.runId,
    seq: message.seq,
    message_id: message.messageId,
    role: message.type === 'human' ? 'user' : 'assistant',
    created_at: timestamp(message.createdAt),
    snippet: message.snippet.text,
    marks: message.snippet.marks.map(([start, end]) => [start, end]),
  };
}
