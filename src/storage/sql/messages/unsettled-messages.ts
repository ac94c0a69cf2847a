// How messages read on a lineage, and by which texts the search finds them until they are settled.
import type { Json } from '../../../messages/message.ts';
import type { Read } from '../checkpoints/ancestors.ts';
import type { Connection } from '../database/database.ts';
import { contentOf } from '../database/json-column.ts';
import { REMOVED } from '../database/message-marks.ts';
import { isHiddenOwner } from '../database/owner-filter.ts';
import { pagesOf } from '../database/page-of.ts';
import type { MessageEntry } from '../search/search-entries.ts';
import { searchableMessage } from '../search/searchable-message.ts';
import { currentRevisions, storedRevisions } from './stored-revisions.ts';

/**
 * How a message reads: removed, or with the content of the event whose `seq` is `edit`; `null` means as
 * recorded.
 */
export interface Reading {
  readonly isRemoved: boolean;
  readonly edit: number | null;
}

export interface ReadMessage {
  readonly seq: number;
  readonly now: Reading;
  readonly next: Reading;
}

const FLAGS_AT_ONCE = 250;

/** Yields, in pages, the messages that read differently on the lineage of the head than they are listed. */
export async function* unsettledMessages(
  read: Read,
  threadId: string,
  headId: string | null,
): AsyncGenerator<readonly ReadMessage[]> {
  const revisions = await storedRevisions(read, threadId);
  if (revisions.length === 0) return;
  const current = [...(await currentRevisions(read, revisions, headId))];
  for (const some of pagesOf(current, FLAGS_AT_ONCE)) {
    const page = new Map(some);
    const rows = await read((db) => flagsOf(db, threadId, [...page.keys()]));
    yield rows.flatMap(({ seq, is_replaced: mark, revised_by: edit }) => {
      const revision = page.get(seq);
      const isRemoved = revision?.eventType === 'message_removed';
      const next = { isRemoved, edit: isRemoved ? null : (revision?.seq ?? null) };
      const now = readingOf(mark, edit);
      return isSame(now, next) ? [] : [{ seq, now, next }];
    });
  }
}

export function flagsOf(db: Connection, threadId: string, seqs: readonly number[]) {
  const events = db.selectFrom('run_events').select(['seq', 'is_replaced', 'revised_by']);
  return events.where('thread_id', '=', threadId).where('seq', 'in', seqs).execute();
}

export function readingOf(mark: number, edit: number | null): Reading {
  return { isRemoved: (mark & REMOVED) !== 0, edit };
}

export function isSame(a: Reading, b: Reading): boolean {
  return a.isRemoved === b.isRemoved && a.edit === b.edit;
}

/** Messages indexed in one transaction; few, because texts are long. */
export const TEXTS_AT_ONCE = 20;

interface IndexedMessage {
  readonly seq: number;
  readonly reading: Reading;
  /** Its text is indexed too, while either reading may be the one shown. */
  readonly orReading?: Reading;
}

/** Returns the index entries of these messages. */
export async function entriesOf(
  db: Connection,
  threadId: string,
  messages: readonly IndexedMessage[],
): Promise<readonly MessageEntry[]> {
  if (messages.length === 0) return [];
  const edits = messages.flatMap(({ reading, orReading }) => [reading.edit ?? [], orReading?.edit ?? []]);
  const said = await readSaid(db, threadId, [...messages.map(({ seq }) => seq), ...edits.flat()]);
  return messages.flatMap(({ seq, reading, orReading = reading }) => {
    const message = said.get(seq);
    if (message === undefined) return [];
    const textAs = ({ isRemoved, edit }: Reading) => {
      const content = edit === null ? message.content : said.get(edit)?.content;
      return isRemoved || content === undefined ? '' : textOf(message.eventType, content);
    };
    return [{ threadId, seq, userId: message.userId, text: textAs(reading), orText: textAs(orReading) }];
  });
}

/** Returns the searchable text of a message with this content. */
export function textOf(eventType: string, content: Json): string {
  return searchableMessage(eventType, content)?.text ?? '';
}

/** Returns events by `seq`. Those of a thread that is being imported belong to its future owner. */
async function readSaid(db: Connection, threadId: string, seqs: readonly number[]) {
  const rows = await db
    .selectFrom('run_events')
    .innerJoin('threads', 'threads.thread_id', 'run_events.thread_id')
    .select(['run_events.seq', 'run_events.event_type', 'content_format', 'content'])
    .select(['run_events.user_id', 'threads.user_id as threadUserId'])
    .where('run_events.thread_id', '=', threadId)
    .where('run_events.seq', 'in', seqs)
    .execute();
  return new Map(
    rows.map((row) => {
      const userId = isHiddenOwner(row.threadUserId) ? row.user_id : row.threadUserId;
      const content = contentOf(row.content, row.content_format);
      return [row.seq, { eventType: row.event_type, content, userId }];
    }),
  );
}
