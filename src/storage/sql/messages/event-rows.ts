// Run events as rows.
import type { Selectable } from 'kysely';
import type { RunEventRecord } from '../../run-events.ts';
import { parseJson, parseJsonObject } from '../database/json-column.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';
import type { RunEventsTable } from '../database/run-tables.ts';

/** With its content, wherever that is stored. */
export type EventRow = Selectable<RunEventsTable> & { readonly text: PackedText | null };

export function toRunEvent(row: EventRow): RunEventRecord {
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
