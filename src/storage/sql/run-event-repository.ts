// Run events of the threads that an owner sees, in SQL.
import { type Selectable, sql } from 'kysely';
import type { RunEventQuery, RunEventRecord, RunEventRepository } from '../run-events.ts';
import type { Owner } from '../storage.ts';
import type { Connection, Database } from './database.ts';
import { parseJson, parseJsonObject } from './json-column.ts';
import { readableBy } from './owner-filter.ts';
import { type PackedText, unpackText } from './packed-text.ts';
import type { RunEventsTable } from './tables.ts';

export function createRunEventRepository(database: Database, owner: Owner): RunEventRepository {
  return {
    list: (threadId, query) =>
      database.read(async (db) => {
        // One more than asked for tells whether there is more.
        const rows = await paged(visibleEvents(db, owner, threadId), query).execute();
        const events = rows.slice(0, query.limit).map(toRunEvent);
        if (query.cursor.kind !== 'after') events.reverse();
        return { events, hasMore: rows.length > query.limit };
      }),
  };
}

/** An event without an owner in somebody's thread is still that somebody's: both rows must be visible. */
function visibleEvents(db: Connection, owner: Owner, threadId: string) {
  return db
    .selectFrom('run_events')
    .innerJoin('threads', 'threads.thread_id', 'run_events.thread_id')
    .leftJoin('trace_contents', (join) =>
      join
        .onRef('trace_contents.thread_id', '=', 'run_events.thread_id')
        .onRef('trace_contents.content_key', '=', 'run_events.content_key'),
    )
    .selectAll('run_events')
    .select(sql<PackedText | null>`coalesce(run_events.content, trace_contents.content)`.as('text'))
    .where('run_events.thread_id', '=', threadId)
    .where(readableBy(owner, 'threads.user_id'))
    .where(readableBy(owner, 'run_events.user_id'));
}

function paged(events: ReturnType<typeof visibleEvents>, query: RunEventQuery) {
  let page = events.limit(query.limit + 1);
  if (query.runId !== undefined) page = page.where('run_events.run_id', '=', query.runId);
  if (query.categories !== undefined) page = page.where('run_events.category', 'in', query.categories);
  if (query.eventTypes !== undefined) page = page.where('run_events.event_type', 'in', query.eventTypes);
  switch (query.cursor.kind) {
    case 'newest':
      return page.orderBy('run_events.seq', 'desc');
    case 'before':
      return page.where('run_events.seq', '<', query.cursor.seq).orderBy('run_events.seq', 'desc');
    case 'after':
      return page.where('run_events.seq', '>', query.cursor.seq).orderBy('run_events.seq', 'asc');
  }
}

function toRunEvent(row: Selectable<RunEventsTable> & { readonly text: PackedText | null }): RunEventRecord {
  const text = unpackText(row.text ?? '');
  return {
    threadId: row.thread_id,
    runId: row.run_id,
    seq: row.seq,
    userId: row.user_id,
    eventType: row.event_type,
    category: row.category,
    content: row.content_format === 'json' ? parseJson(text) : text,
    metadata: parseJsonObject(row.metadata),
    createdAt: row.created_at,
  };
}
