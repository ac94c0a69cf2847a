// Finds messages in the record of a thread by their ids, which no index has: changing a message is rare.
import { z } from 'zod';
import type { Json } from '../../../messages/message.ts';
import type { Read } from '../checkpoints/ancestor-walk.ts';
import type { Connection } from '../database/database.ts';
import { parseJson } from '../database/json-column.ts';
import { REVISION_EVENTS, SHOWN_MARK, SHOWN_REVISION } from '../database/message-marks.ts';
import { unpackText } from '../database/packed-text.ts';

export interface RecordedMessage {
  readonly seq: number;
  readonly runId: string;
  readonly userId: string | null;
  readonly eventType: string;
  readonly messageId: string;
  /** As it was recorded. */
  readonly content: Json;
  readonly isReplaced: number;
  /** The `seq` of the event that says how it reads now. */
  readonly revisedBy: number | null;
  /** What a move of the line that is under way makes of `isReplaced`; `null`: nothing. */
  readonly nextReplaced: number | null;
}

/** What is looked for is mostly near. */
const FIRST_PAGE = 50;
const LAST_PAGE = 100;

/** Newest first. Whoever has found what it looked for stops: it costs what has been said since. */
export async function* recordedMessages(read: Read, threadId: string): AsyncGenerator<RecordedMessage> {
  let below = Number.MAX_SAFE_INTEGER;
  for (let limit = FIRST_PAGE; ; limit = LAST_PAGE) {
    const rows = await read((db) => messagesBelow(db, { threadId, below, limit }));
    for (const { content: text, ...row } of rows) {
      const content = parseJson(unpackText(text ?? 'null'));
      const messageId = messageIdOf(content);
      if (messageId !== undefined) yield { ...row, messageId, content };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    below = last.seq;
  }
}

interface MessagesPlace {
  readonly threadId: string;
  readonly below: number;
  readonly limit: number;
}

function messagesBelow(db: Connection, { threadId, below, limit }: MessagesPlace) {
  return db
    .selectFrom('run_events')
    .innerJoin('threads', 'threads.thread_id', 'run_events.thread_id')
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
    .where('run_events.thread_id', '=', threadId)
    .where('run_events.seq', '<', below)
    .where('run_events.category', '=', 'message')
    .where('run_events.content_format', '=', 'json')
    .where('run_events.event_type', 'not in', REVISION_EVENTS)
    .orderBy('run_events.seq', 'desc')
    .limit(limit)
    .execute();
}

const identified = z.looseObject({ id: z.string() });

export function messageIdOf(content: Json): string | undefined {
  const parsed = identified.safeParse(content);
  return parsed.success ? parsed.data.id : undefined;
}
