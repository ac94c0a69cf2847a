// A thread record as the wire shows it (decisions, section 3). The owner is never in it.
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import { jsonObject } from '../json-object.ts';
import { timestamp } from './timestamp.ts';

export const threadBodySchema = z
  .object({
    thread_id: z.string(),
    status: z.enum(['idle', 'busy', 'interrupted', 'error']),
    created_at: z.string(),
    updated_at: z.string(),
    metadata: jsonObject,
    values: jsonObject,
    interrupts: jsonObject,
    config: jsonObject,
  })
  .meta({ id: 'Thread' });

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
