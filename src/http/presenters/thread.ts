// A thread record as the wire shows it (docs/contract/threads.md#the-record). The owner is never in it.
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import { jsonObject } from '../api/json-object.ts';
import { timestamp } from './timestamp.ts';
import { threadIdField, timeField } from './wire-fields.ts';

export const threadBodySchema = z
  .object({
    thread_id: threadIdField,
    status: z.enum(['idle', 'busy', 'interrupted', 'error']),
    created_at: timeField,
    updated_at: timeField,
    state_updated_at: timeField.optional().meta({
      description:
        'The last time that a run wrote, or that a state update changed messages; told by searches sorted by it',
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
export interface ShownThreadState {
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
