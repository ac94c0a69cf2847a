// Reads the rows of a thread from a SQLite file, bypassing the service and its repositories.
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { LogEvent } from '../../src/runs/log/log-event.ts';
import type { RunEventCategory, RunEventRecord } from '../../src/storage/run-events.ts';
import type { RunStatus } from '../../src/storage/runs.ts';
import { unpackText } from '../../src/storage/sql/database/packed-text.ts';
import type { MessageEvidence, RunEvidence, ThreadEvidence } from './invariants.ts';

type Row = Record<string, SQLOutputValue>;

export function readThread(path: string, threadId: string): ThreadEvidence {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const all = (query: string, id: string): readonly Row[] => database.prepare(query).all(id);
  try {
    const thread = database.prepare('select * from threads where thread_id = ?').get(threadId);
    if (thread === undefined) throw new Error(`There is no thread ${threadId}.`);
    const runs = all('select * from runs where thread_id = ? order by created_at, run_id', threadId);
    return {
      threadId,
      status: text(thread.status),
      runs: runs.map((run) =>
        toRun(run, all('select * from run_frames where run_id = ? order by first_seq', text(run.run_id))),
      ),
      events: all(EVENTS, threadId).map(toEvent),
      folded: fold(all('select * from checkpoints where thread_id = ?', threadId), thread.head_checkpoint_id),
    };
  } finally {
    database.close();
  }
}

const EVENTS = `select run_events.*, coalesce(run_events.content, trace_contents.content) as text from run_events
  left join trace_contents using (thread_id, content_key) where run_events.thread_id = ? order by seq`;

/** Returns every text of the file, to check for secrets. */
export function allTexts(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    // The index of words has its own format; its texts are in the other tables.
    const tables = database
      .prepare(`select name from sqlite_master where type = 'table' and name not like 'search_words%'`)
      .all();
    return tables
      .flatMap(({ name }) => database.prepare(`select * from ${name}`).all())
      .flatMap((row) =>
        Object.values(row).map((value) => (value instanceof Uint8Array ? unpackText(value) : value)),
      )
      .join('\n');
  } finally {
    database.close();
  }
}

/**
 * Returns the rows of every table with the id of the thread, as `table: row`; frames have only that of their
 * run.
 */
export function rowsOfThread(path: string, threadId: string): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const tables = database
      .prepare(
        `select m.name from sqlite_master as m join pragma_table_info(m.name) as c
         where m.type = 'table' and c.name = 'thread_id'`,
      )
      .all();
    const own = tables.flatMap(({ name }) => {
      const rows = database.prepare(`select * from ${name} where thread_id = ?`).all(threadId);
      return rows.map((row) => `${name}: ${JSON.stringify(row)}`);
    });
    const orphans = database
      .prepare('select run_id from run_frames where run_id not in (select run_id from runs)')
      .all();
    return [...own, ...orphans.map((row) => `run_frames: ${JSON.stringify(row)}`)];
  } finally {
    database.close();
  }
}

function toRun(run: Row, frames: readonly Row[]): RunEvidence {
  return {
    runId: text(run.run_id),
    status: text(run.status) as RunStatus,
    stopReason: run.stop_reason === null ? null : text(run.stop_reason),
    attempt: Number(run.attempt),
    totalTokens: Number(run.total_tokens),
    llmCallCount: Number(run.llm_call_count),
    rows: frames.map((row) => ({
      firstSeq: Number(row.first_seq),
      lastSeq: Number(row.last_seq),
      events: JSON.parse(text(row.events)) as LogEvent[],
    })),
  };
}

function toEvent(row: Row): RunEventRecord {
  return {
    threadId: text(row.thread_id),
    runId: text(row.run_id),
    seq: Number(row.seq),
    userId: null,
    eventType: text(row.event_type),
    category: text(row.category) as RunEventCategory,
    content: row.content_format === 'json' ? JSON.parse(text(row.text)) : text(row.text),
    metadata: JSON.parse(text(row.metadata)),
    createdAt: Number(row.created_at),
  };
}

/** Adds up the deltas from the root to the head in the plainest way. */
function fold(checkpoints: readonly Row[], head: SQLOutputValue | undefined): readonly MessageEvidence[] {
  const byId = new Map(checkpoints.map((row) => [row.checkpoint_id, row]));
  const lineage: Row[] = [];
  for (let at = byId.get(head ?? null); at !== undefined; at = byId.get(at.parent_id ?? null))
    lineage.unshift(at);
  const messages = new Map<string, MessageEvidence>();
  for (const row of lineage) {
    const delta = JSON.parse(text(row.delta)) as { readonly messages: readonly MessageEvidence[] };
    for (const message of delta.messages) {
      if (message.type === 'remove') messages.delete(message.id);
      else messages.set(message.id, message);
    }
  }
  return [...messages.values()];
}

function text(value: SQLOutputValue | undefined): string {
  if (value instanceof Uint8Array) return unpackText(value);
  if (typeof value !== 'string') throw new Error(`This is no text: ${String(value)}`);
  return value;
}
