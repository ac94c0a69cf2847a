// Numbers run events with `seq` and stores them, for admissions and for the group commit.
import { sql } from 'kysely';
import { createBreath, inTurns } from '../../../breath.ts';
import { JsonText, type NewRunEvent } from '../../run-events.ts';
import { createBulkInsert, createBulkStatement } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { sha256 } from '../database/json-column.ts';
import { isHiddenOwner } from '../database/owner-filter.ts';
import { ownerColumns } from '../database/row-owners.ts';
import type { ThreadsTable } from '../database/tables.ts';
import type { SearchEntries, SearchEntry } from '../search/search-entries.ts';
import { searchableMessage } from '../search/searchable-message.ts';

/**
 * Trace contents of at least this many characters are stored once per thread, because prompts cut at the
 * limit recur. Shorter contents belong to one call, and in a separate table each would add a page to every
 * commit.
 */
const SHARED_CONTENT_LENGTH = 8_192;

interface RunEventBatch {
  readonly threadId: string;
  readonly runId: string;
  readonly userId: string | null;
  readonly events: readonly NewRunEvent[];
}

export function createAppendRunEvents(database: Database, searchEntries: SearchEntries) {
  const { queries } = database;
  const raiseSeq = createBulkStatement(
    queries,
    sql`(cast(${null} as text), cast(${null} as bigint))`,
    (rows) => sql<Pick<ThreadsTable, 'thread_id' | 'user_id' | 'last_seq'>>`
      with added (id, amount) as (values ${rows})
      update threads set last_seq = last_seq + amount from added where thread_id = id
      returning thread_id, user_id, last_seq`,
  );
  const insertContents = createBulkInsert(queries, {
    into: 'trace_contents',
    columns: ['thread_id', 'content_key', 'content', ...ownerColumns(database)],
    onConflict: 'do nothing',
  });
  const insertEvents = createBulkInsert(queries, {
    into: 'run_events',
    columns: [
      'thread_id',
      'seq',
      'run_id',
      'user_id',
      'event_type',
      'category',
      'created_at',
      'metadata',
      'content_format',
      'content_key',
      'content',
    ],
  });

  /** Returns, by thread, its owner and the `seq` of its first new event. */
  const reserve = async (trx: WriteTransaction, batches: readonly RunEventBatch[]) => {
    const counts = new Map<string, number>();
    for (const { threadId, events } of batches)
      counts.set(threadId, (counts.get(threadId) ?? 0) + events.length);
    const raised = await raiseSeq(trx, [...counts]);
    return new Map(
      raised.map(({ thread_id, user_id, last_seq }) => {
        return [thread_id, { userId: user_id, nextSeq: last_seq - (counts.get(thread_id) ?? 0) + 1 }];
      }),
    );
  };

  /**
   * Numbers the events from the counter on the thread's row, which stays locked until the transaction ends.
   * Returns the `seq` of each event, in order.
   */
  return async (trx: WriteTransaction, batches: readonly RunEventBatch[]): Promise<readonly number[]> => {
    const filled = batches.filter((batch) => batch.events.length > 0);
    if (filled.length === 0) return [];
    const events = numberedEvents(filled, await reserve(trx, filled));
    // Contents may be megabytes long, and are serialized, hashed and packed here.
    const rows = await inTurns(events, createBreath(), (event) => toRows(database, event));
    const contents = rows.flatMap(({ content }) => content ?? []);
    await insertContents(trx, contents);
    const inserted = rows.map(({ event }) => event);
    await insertEvents(trx, inserted);
    const entries = events.flatMap((event) => toSearchEntry(event) ?? []);
    await searchEntries.add(trx, entries);
    return events.map(({ seq }) => seq);
  };
}

export type AppendRunEvents = ReturnType<typeof createAppendRunEvents>;

interface NumberedEvent {
  readonly batch: RunEventBatch;
  /** The owner of the thread. */
  readonly threadUserId: string | null;
  readonly seq: number;
  readonly event: NewRunEvent;
}

function numberedEvents(
  batches: readonly RunEventBatch[],
  threads: ReadonlyMap<string, { readonly userId: string | null; nextSeq: number }>,
): readonly NumberedEvent[] {
  return batches.flatMap((batch) => {
    const thread = threads.get(batch.threadId);
    if (thread === undefined) throw new Error('run events for a thread that does not exist');
    return batch.events.map((event) => {
      return { batch, threadUserId: thread.userId, seq: thread.nextSeq++, event };
    });
  });
}

/** Returns the row of the event, and the row of its content if that is stored once per thread. */
function toRows(database: Database, { batch, seq, event }: NumberedEvent) {
  const { threadId, runId, userId } = batch;
  const { format, text } = toText(event.content);
  const isShared = event.category === 'trace' && text.length >= SHARED_CONTENT_LENGTH;
  const key = isShared ? sha256(text) : null;
  const packed = database.packed(text);
  const isText = typeof event.content === 'string';
  const row = {
    thread_id: threadId,
    seq,
    run_id: runId,
    user_id: userId,
    event_type: event.eventType,
    category: event.category,
    created_at: event.createdAt,
    metadata: JSON.stringify(isText ? event.metadata : { ...event.metadata, content_is_json: true }),
    content_format: format,
    content_key: key,
    content: key === null ? packed : null,
  };
  if (key === null) return { event: row, content: undefined };
  return { event: row, content: { thread_id: threadId, content_key: key, content: packed, user_id: userId } };
}

/** Stores a string as plain text unless it contains NUL, which Postgres cannot store and JSON escapes. */
function toText(content: NewRunEvent['content']): {
  readonly format: 'text' | 'json';
  readonly text: string;
} {
  if (content instanceof JsonText) return { format: 'json', text: content.text };
  if (typeof content === 'string' && !content.includes('\0')) return { format: 'text', text: content };
  return { format: 'json', text: JSON.stringify(content) };
}

function toSearchEntry({ batch, threadUserId, seq, event }: NumberedEvent): SearchEntry | undefined {
  const { eventType, content } = event;
  const message = content instanceof JsonText ? undefined : searchableMessage(eventType, content);
  if (message === undefined) return undefined;
  // Messages of a thread that is being imported are indexed for its future owner.
  const userId = isHiddenOwner(threadUserId) ? batch.userId : threadUserId;
  return { threadId: batch.threadId, seq, userId, text: message.text };
}
