// Finds messages in the record of a thread by their ids, which no index has: changing a message is rare.
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Json } from '../../messages/message.ts';
import type { WriteTransaction } from './database.ts';
import { parseJson } from './json-column.ts';
import { REVISION_EVENTS } from './message-marks.ts';
import { unpackText } from './packed-text.ts';
import type { RunEventsTable } from './tables.ts';

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
}

type MessageRow = Pick<
  Selectable<RunEventsTable>,
  'seq' | 'run_id' | 'user_id' | 'event_type' | 'is_replaced' | 'revised_by'
>;

/** What is looked for is mostly near; what is far is not fetched in ever so many rounds. */
const FIRST_PAGE = 50;
const LAST_PAGE = 400;

/** Newest first. Whoever has found what it looked for stops: it costs what has been said since. */
export async function* recordedMessages(
  trx: WriteTransaction,
  threadId: string,
): AsyncGenerator<RecordedMessage> {
  let below = Number.MAX_SAFE_INTEGER;
  for (let limit = FIRST_PAGE; ; limit = Math.min(limit * 2, LAST_PAGE)) {
    const rows = await trx
      .selectFrom('run_events')
      .select(['seq', 'run_id', 'user_id', 'event_type', 'content', 'is_replaced', 'revised_by'])
      .where('thread_id', '=', threadId)
      .where('seq', '<', below)
      .where('category', '=', 'message')
      .where('content_format', '=', 'json')
      .where('event_type', 'not in', REVISION_EVENTS)
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute();
    for (const row of rows) {
      const content = parseJson(unpackText(row.content ?? 'null'));
      const messageId = messageIdOf(content);
      if (messageId === undefined) continue;
      yield { ...toMessage(row), messageId, content };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    below = last.seq;
  }
}

function toMessage(row: MessageRow) {
  return {
    seq: row.seq,
    runId: row.run_id,
    userId: row.user_id,
    eventType: row.event_type,
    isReplaced: row.is_replaced,
    revisedBy: row.revised_by,
  };
}

const identified = z.looseObject({ id: z.string() });

export function messageIdOf(content: Json): string | undefined {
  const parsed = identified.safeParse(content);
  return parsed.success ? parsed.data.id : undefined;
}
