// Finds messages in a thread's record by id. No index has these ids, because messages rarely change.
import { isJsonObject, type Json } from '../../../messages/message.ts';
import type { Read } from '../checkpoints/ancestors.ts';
import { allRows } from '../database/all-rows.ts';
import type { Connection } from '../database/database.ts';
import { parseJson } from '../database/json-column.ts';
import { REVISION_EVENTS, SHOWN_MARK, SHOWN_REVISION } from '../database/message-marks.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';

export interface RecordedMessage {
  readonly seq: number;
  readonly runId: string;
  readonly userId: string | null;
  readonly eventType: string;
  readonly messageId: string;
  /** The content as recorded. */
  readonly content: Json;
  readonly isReplaced: number;
  /** The `seq` of the event with its current content. */
  readonly revisedBy: number | null;
  /** `isReplaced` after the move of the lineage that is in progress; `null` when it stays the same. */
  readonly nextReplaced: number | null;
}

const MESSAGES_AT_ONCE = 50;

/**
 * Yields messages, newest first. The caller stops once it has found its messages, so the cost grows only with
 * the messages since then.
 */
export async function* recordedMessages(read: Read, threadId: string): AsyncGenerator<RecordedMessage> {
  const rows = allRows({ by: 'seq', after: Number.MAX_SAFE_INTEGER, atOnce: MESSAGES_AT_ONCE }, (below) =>
    read((db) => messagesBelow(db, threadId, below)),
  );
  for await (const { content: text, ...row } of rows) {
    const content = parseJson(unpackText(text ?? 'null'));
    const messageId = messageIdOf(content);
    if (messageId !== undefined) yield { ...row, messageId, content };
  }
}

function messagesBelow(db: Connection, threadId: string, below: number) {
  return messageEvents(db, threadId)
    .select([
      'run_events.seq',
      'run_events.run_id as runId',
      'run_events.user_id as userId',
      'run_events.event_type as eventType',
      'run_events.content',
      'run_events.next_replaced as nextReplaced',
      SHOWN_MARK.as('isReplaced'),
      SHOWN_REVISION.as('revisedBy'),
    ])
    .where('run_events.seq', '<', below)
    .orderBy('run_events.seq', 'desc')
    .limit(MESSAGES_AT_ONCE)
    .execute();
}

/** Selects the events of the thread that hold messages, without revisions, joined with the thread. */
export function messageEvents(db: Connection, threadId: string) {
  return db
    .selectFrom('run_events')
    .innerJoin('threads', 'threads.thread_id', 'run_events.thread_id')
    .where('run_events.thread_id', '=', threadId)
    .where('run_events.category', '=', 'message')
    .where('run_events.content_format', '=', 'json')
    .where('run_events.event_type', 'not in', REVISION_EVENTS);
}

export function messageIdOf(message: Json | undefined): string | undefined {
  return isJsonObject(message) && typeof message.id === 'string' ? message.id : undefined;
}

/** Returns the message id in the recorded content of a message event. */
export function messageIdIn(content: PackedText | null): string | undefined {
  return messageIdOf(parseJson(unpackText(content ?? 'null')));
}

export function messagesInDelta(delta: PackedText): readonly Json[] {
  const parsed = parseJson(unpackText(delta));
  const messages = isJsonObject(parsed) ? parsed.messages : undefined;
  return Array.isArray(messages) ? messages : [];
}
