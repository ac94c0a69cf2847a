// A thread record as the wire shows it, listed or found (docs/contract/threads.md#the-record). The owner is never in
// it.
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';
import type { FoundMessage, FoundThread } from '../../storage/message-search.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import {
  jsonObject,
  messageIdField,
  runIdField,
  threadIdField,
  timeField,
  timestamp,
} from './wire-fields.ts';

export const threadBodySchema = z
  .object({
    thread_id: threadIdField,
    status: z.enum(['idle', 'busy', 'interrupted', 'error']),
    created_at: timeField,
    updated_at: timeField,
    state_updated_at: timeField.optional().meta({
      description:
        'When a run last wrote, or a state update last changed messages; present in searches sorted by it',
    }),
    metadata: jsonObject,
    values: jsonObject,
    interrupts: jsonObject,
    config: jsonObject,
  })
  .meta({ id: 'Thread' });

/** Of a search: only the fields of `select`, if it is given, and what `extract` asked for. */
export const foundThreadBodySchema = threadBodySchema
  .partial()
  .extend({ extracted: jsonObject.optional() })
  .meta({ id: 'ThreadFields', description: 'A thread; with `select`, only those of its fields' });

export type ThreadBody = z.output<typeof threadBodySchema>;

/** What a thread shows of its state: fields, and what the person is asked, by task. */
interface ShownThreadState {
  readonly values: JsonObject;
  readonly interrupts: JsonObject;
}

/** `shown` is the state to show with it; absent: the title alone. */
export function presentThread(thread: ThreadRecord, shown?: Partial<ShownThreadState> | null): ThreadBody {
  const title: JsonObject = thread.displayName === null ? {} : { title: thread.displayName };
  return {
    thread_id: thread.threadId,
    status: thread.status,
    created_at: timestamp(thread.createdAt),
    updated_at: timestamp(thread.updatedAt),
    metadata: thread.metadata,
    values: { ...title, ...shown?.values },
    interrupts: shown?.interrupts ?? {},
    config: {},
  };
}

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
