// Run events of the threads that an owner sees, in SQL.
import { type Selectable, sql } from 'kysely';
import type { EventPage, RunEventRecord, RunEventRepository } from '../../run-events.ts';
import type { Owner } from '../../storage.ts';
import type { Connection, Database } from '../database/database.ts';
import { contentOf, parseJsonObject } from '../database/json-column.ts';
import { readableBy } from '../database/owner-filter.ts';
import type { PackedText } from '../database/packed-text.ts';
import { plainColumns } from '../database/plain-columns.ts';
import type { RunEventsTable } from '../database/run-tables.ts';
import { type EventPlaces, eventPage, IN_CONVERSATION } from './event-pages.ts';

export function createRunEventRepository(database: Database, owner: Owner): RunEventRepository {
  return {
    list: (threadId, query) => database.read((db) => readPage(db, { ...query, owner, threadId })),

    messages: (threadId, query) =>
      database.read(async (db) => {
        // Usually no move is in progress, and the page needs one scan instead of three.
        const page = await readPage(db, { ...query, owner, threadId, conversation: 'resting' });
        if (page.events.length > 0) return page;
        return readPage(db, { ...query, owner, threadId, conversation: 'any' });
      }),

    repliedAfter: async (threadId, runIds, seq) => {
      if (runIds.length === 0) return new Set();
      return database.read(async (db) => {
        const rows = db
          .selectFrom('run_events')
          .innerJoin('runs', 'runs.run_id', 'run_events.run_id')
          .innerJoin('threads', 'threads.thread_id', 'runs.thread_id')
          .select('run_events.run_id')
          .distinct()
          .where('run_events.run_id', 'in', runIds)
          .where('run_events.seq', '>', seq)
          .where('run_events.event_type', '=', 'ai_message')
          .where('runs.thread_id', '=', threadId)
          .where(IN_CONVERSATION)
          .where(readableBy(owner, 'threads.user_id'));
        return new Set((await rows.execute()).map((row) => row.run_id));
      });
    },
  };
}

/** Requires both rows to be visible, because an event without an owner may be in another user's thread. */
async function readPage(db: Connection, places: EventPlaces): Promise<EventPage> {
  const { owner, threadId, eventTypes, conversation, cursor, limit } = places;
  if (eventTypes?.length === 0) return { events: [], hasMore: false };
  // The extra row shows whether there are more.
  const page = eventPage({ ...places, limit: limit + 1 });
  // A conversation is read as it is now, events as they were recorded.
  const isConversation = conversation !== undefined;
  const edits = isConversation
    ? sql`left join run_events as edits on edits.thread_id = run_events.thread_id
      and edits.seq = run_events.shown_revision`
    : sql``;
  const edited = isConversation ? sql`edits.content, ` : sql``;
  const atRest = conversation === 'resting' ? sql`and threads.line_move is null` : sql``;
  const { rows } = await sql<EventRow>`
    select run_events.*, coalesce(${edited}run_events.content, trace_contents.content) as text
    from (${page}) as run_events
    left join trace_contents on trace_contents.thread_id = run_events.thread_id
      and trace_contents.content_key = run_events.content_key
    ${edits}
    where run_events.thread_id = ${threadId} and exists (
      select 1 from threads where threads.thread_id = ${threadId} and ${readableBy(owner, 'threads.user_id')} ${atRest}
    )
    order by run_events.seq`.execute(db);
  const events = rows.map(toRunEvent);
  if (rows.length <= limit) return { events, hasMore: false };
  return { events: cursor.kind === 'after' ? events.slice(0, limit) : events.slice(1), hasMore: true };
}

/** A row with its content, from whichever table stores it. */
export type EventRow = Selectable<RunEventsTable> & { readonly text: PackedText | null };

const PLAIN = plainColumns(['thread_id', 'run_id', 'seq', 'user_id', 'event_type', 'category', 'created_at']);

export function toRunEvent(row: EventRow): RunEventRecord {
  return {
    ...PLAIN.fieldsOf(row),
    content: contentOf(row.text, row.content_format),
    metadata: parseJsonObject(row.metadata),
  };
}
