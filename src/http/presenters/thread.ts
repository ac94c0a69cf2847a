// A thread in its wire format, listed or found, without its owner (docs/contract/threads.md#the-record).
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';
import type { FoundMessage, FoundThread } from '../../storage/message-search.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import { presenterOf } from './presenter-of.ts';
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

/** A search result: all fields, or only those in `select`, and the values requested with `extract`. */
export const foundThreadBodySchema = threadBodySchema
  .partial()
  .extend({ extracted: jsonObject.optional() })
  .meta({ id: 'ThreadFields', description: 'A thread; with `select`, only those of its fields' });

export type ThreadBody = z.output<typeof threadBodySchema>;

/** The shown part of a thread's state: fields, and questions to the person by task. */
interface ShownThreadState {
  readonly values: JsonObject;
  readonly interrupts: JsonObject;
}

/** Returns the thread with the state in `shown`. If absent, only with the title. */
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

/** Ranges instead of markup, because texts of people and models are never treated as HTML. */
const marksSchema = z
  .array(z.tuple([z.int(), z.int()]))
  .meta({ description: 'Pairs of start and end in UTF-16 units; the end is exclusive' });

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

const presentFound = presenterOf(foundThreadSchema);

export function presentFoundThread(thread: FoundThread): z.output<typeof foundThreadSchema> {
  const titleMarks = thread.titleMarks.map(toMark);
  return presentFound({ ...thread, titleMarks, matches: thread.messages.map(presentFoundMessage) });
}

const presentMatch = presenterOf(foundMessageSchema);

function presentFoundMessage(message: FoundMessage): z.output<typeof foundMessageSchema> {
  const { text: snippet, marks } = message.snippet;
  const role = message.type === 'human' ? 'user' : 'assistant';
  return presentMatch({ ...message, role, snippet, marks: marks.map(toMark) });
}

function toMark([start, end]: readonly [number, number]): [number, number] {
  return [start, end];
}
