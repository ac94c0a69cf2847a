// Numbers run events with `seq` and stores them, for admissions and for the group commit.
import { sql } from 'kysely';
import { type Breath, createBreath, inTurns } from '../../../breath.ts';
import { JsonText, type NewRunEvent } from '../../run-events.ts';
import { createBulkInsert, createBulkStatement } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { sha256 } from '../database/json-column.ts';
import { isHiddenOwner } from '../database/owner-filter.ts';
import { ownerColumns } from '../database/row-owners.ts';
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

/** Numbers the events from the counter on the thread's row, which stays locked until the transaction ends. */
export type AppendRunEvents = (trx: WriteTransaction, batches: readonly RunEventBatch[]) => Promise<void>;

export function createAppendRunEvents(database: Database, searchEntries: SearchEntries): AppendRunEvents {
  const { queries } = database;
  const raiseSeq = createBulkStatement(
    queries,
    sql`(cast(${null} as text), cast(${null} as bigint))`,
    (rows) => sql<RaisedThread>`
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
    const counts = countByThread(batches);
    const raised = await raiseSeq(trx, [...counts]);
    return new Map(
      raised.map((row) => {
        const firstSeq = row.last_seq - (counts.get(row.thread_id) ?? 0) + 1;
        return [row.thread_id, { userId: row.user_id, firstSeq }];
      }),
    );
  };

  return async (trx, batches) => {
    const filled = batches.filter((batch) => batch.events.length > 0);
    if (filled.length === 0) return;
    // Contents may be megabytes long, and are serialized, hashed and packed here.
    const breath = createBreath();
    const rows = await numbered(filled, await reserve(trx, filled), breath);
    const contents = await inTurns(rows, breath, (row) => toContentRow(database, row));
    await insertContents(trx, contents.flat());
    await insertEvents(trx, await inTurns(rows, breath, (row) => toEventRow(database, row)));
    const entries = rows.flatMap((row) => toSearchEntry(row) ?? []);
    await searchEntries.add(trx, entries);
  };
}

interface RaisedThread {
  readonly thread_id: string;
  readonly user_id: string | null;
  readonly last_seq: number;
}

interface ReservedThread {
  readonly userId: string | null;
  readonly firstSeq: number;
}

interface NumberedEvent {
  readonly batch: RunEventBatch;
  /** The owner of the thread. */
  readonly threadUserId: string | null;
  readonly seq: number;
  readonly stored: StoredEvent;
}

function numbered(
  batches: readonly RunEventBatch[],
  threads: ReadonlyMap<string, ReservedThread>,
  breath: Breath,
): Promise<NumberedEvent[]> {
  const next = new Map(threads);
  const events = batches.flatMap((batch) => {
    const thread = next.get(batch.threadId);
    if (thread === undefined) throw new Error('run events for a thread that does not exist');
    const { userId: threadUserId, firstSeq } = thread;
    next.set(batch.threadId, { ...thread, firstSeq: firstSeq + batch.events.length });
    return batch.events.map((event, index) => {
      return { batch, threadUserId, seq: firstSeq + index, event };
    });
  });
  return inTurns(events, breath, ({ event, ...place }) => ({ ...place, stored: toStored(event) }));
}

interface StoredEvent {
  readonly event: NewRunEvent;
  readonly metadata: string;
  readonly format: 'text' | 'json';
  readonly text: string;
  readonly key: string | null;
}

function toStored(event: NewRunEvent): StoredEvent {
  const { content } = event;
  const structured = typeof content !== 'string';
  const metadata = structured ? { ...event.metadata, content_is_json: true } : event.metadata;
  const { format, text } = toText(content);
  const shared = event.category === 'trace' && text.length >= SHARED_CONTENT_LENGTH;
  return { event, metadata: JSON.stringify(metadata), format, text, key: shared ? sha256(text) : null };
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

function toContentRow(database: Database, { batch, stored }: NumberedEvent) {
  if (stored.key === null) return [];
  const { threadId, userId } = batch;
  const content = database.packed(stored.text);
  return [{ thread_id: threadId, content_key: stored.key, content, user_id: userId }];
}

function toSearchEntry({ batch, threadUserId, seq, stored }: NumberedEvent): SearchEntry | undefined {
  const { eventType, content } = stored.event;
  const message = content instanceof JsonText ? undefined : searchableMessage(eventType, content);
  if (message === undefined) return undefined;
  // Messages of a thread that is being imported are indexed for its future owner.
  const userId = isHiddenOwner(threadUserId) ? batch.userId : threadUserId;
  return { threadId: batch.threadId, seq, userId, text: message.text };
}

function toEventRow(database: Database, { batch, seq, stored }: NumberedEvent) {
  const { event, metadata, format, text, key } = stored;
  return {
    thread_id: batch.threadId,
    seq,
    run_id: batch.runId,
    user_id: batch.userId,
    event_type: event.eventType,
    category: event.category,
    created_at: event.createdAt,
    metadata,
    content_format: format,
    content_key: key,
    content: key === null ? database.packed(text) : null,
  };
}

function countByThread(batches: readonly RunEventBatch[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { threadId, events } of batches) {
    counts.set(threadId, (counts.get(threadId) ?? 0) + events.length);
  }
  return counts;
}
