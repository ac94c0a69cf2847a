// The line from a thread's first checkpoint to its head, and which messages are on it.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Connection, WriteTransaction } from '../database/database.ts';
import { isJsonObject, parseJson } from '../database/json-column.ts';
import { LEFT_BEHIND, REMOVED, REPEATED, REVISION_EVENTS, SHOWN_MARK } from '../database/message-marks.ts';
import { unpackText } from '../database/packed-text.ts';

/** Values per statement: fewer than either database takes. */
const CHUNK = 500;

/** The step of a first checkpoint. */
export const FROM_THE_START = -1;

/** The ids of a checkpoint and of its ancestors down to a step; none for `null`. */
export async function lineageTo(
  trx: WriteTransaction,
  checkpointId: string | null,
  floor: number,
): Promise<Set<string>> {
  if (checkpointId === null) return new Set();
  const { rows } = await sql<{ checkpoint_id: string }>`
    with recursive line (checkpoint_id, parent_id) as (
      select checkpoint_id, parent_id from checkpoints where checkpoint_id = ${checkpointId} and step >= ${floor}
      union all
      select parent.checkpoint_id, parent.parent_id
      from line join checkpoints as parent on parent.checkpoint_id = line.parent_id
      where parent.step >= ${floor}
    )
    select checkpoint_id from line`.execute(trx);
  return new Set(rows.map((row) => row.checkpoint_id));
}

interface JudgedMessage {
  readonly seq: number;
  readonly runId: string;
  readonly stored: number;
  /** What moves of the head would have left there: 0 for a message on the lineage of the thread's head. */
  readonly folded: 0 | 1;
}

/**
 * Every message event of the thread for which its checkpoints decide whether it is on the lineage. Nothing else is
 * judged, and nothing that no listing shows: a run that was rolled back leaves the lineage without a branch.
 */
export async function* judgedMessages(
  trx: WriteTransaction,
  threadId: string,
  headId: string | null,
): AsyncGenerator<JudgedMessage> {
  const lineage = await lineageTo(trx, headId, FROM_THE_START);
  const left = await checkpointsBeside(trx, threadId, lineage);
  // A thread that never branched is not unpacked.
  if (left.length === 0 && !(await hasReplaced(trx, threadId))) return;
  const onLineage = await messagesIn(trx, threadId, [...lineage]);
  const offLineage = await messagesIn(trx, threadId, left);
  const undone = await undoneRuns(trx, threadId);
  const judged = new Set([...onLineage.keys(), ...offLineage.keys()].filter((runId) => !undone.has(runId)));
  for (const runIds of chunks([...judged])) {
    for (const { seq, run_id: runId, content, mark } of await messageEvents(trx, threadId, runIds)) {
      const id = idOf(parseJson(unpackText(content ?? 'null'))) ?? '';
      const folded = foldedMark(id, onLineage.get(runId), offLineage.get(runId));
      if (folded !== undefined) yield { seq, runId, stored: mark & LEFT_BEHIND, folded };
    }
  }
}

type Ids = ReadonlySet<string> | undefined;

/** `undefined` for a message that no checkpoint of its run brought. */
function foldedMark(id: string, onLineage: Ids, offLineage: Ids): 0 | 1 | undefined {
  if (onLineage?.has(id) === true) return 0;
  return offLineage?.has(id) === true ? 1 : undefined;
}

async function checkpointsBeside(
  trx: WriteTransaction,
  threadId: string,
  lineage: ReadonlySet<string>,
): Promise<readonly string[]> {
  const own = trx.selectFrom('checkpoints').select('checkpoint_id').where('thread_id', '=', threadId);
  const rows = await own.where('namespace', '=', '').execute();
  return rows.map((row) => row.checkpoint_id).filter((id) => !lineage.has(id));
}

async function hasReplaced(trx: WriteTransaction, threadId: string): Promise<boolean> {
  const left = trx
    .selectFrom('run_events')
    .innerJoin('threads', 'threads.thread_id', 'run_events.thread_id')
    .select('seq')
    .where('run_events.thread_id', '=', threadId)
    .where(sql<SqlBool>`(${SHOWN_MARK} & ${LEFT_BEHIND}) <> 0`)
    .where('event_type', 'not in', REVISION_EVENTS);
  return (await left.limit(1).executeTakeFirst()) !== undefined;
}

export async function undoneRuns(trx: WriteTransaction, threadId: string): Promise<ReadonlySet<string>> {
  const runs = trx.selectFrom('runs').select('run_id').where('thread_id', '=', threadId);
  const undone = await runs.where('stop_reason', 'in', ['rolled_back', 'replaced']).execute();
  return new Set(undone.map((row) => row.run_id));
}

function messageEvents(trx: WriteTransaction, threadId: string, runIds: readonly string[]) {
  return trx
    .selectFrom('run_events')
    .innerJoin('threads', 'threads.thread_id', 'run_events.thread_id')
    .select(['seq', 'run_id', 'content', SHOWN_MARK.as('mark')])
    .where('run_id', 'in', runIds)
    .where('run_events.thread_id', '=', threadId)
    .where('category', '=', 'message')
    .where('content_format', '=', 'json')
    .where('event_type', 'not in', REVISION_EVENTS)
    .execute();
}

/** The column with the mark set or taken away; what else keeps the message out of the conversation stays. */
export function markedAs(replaced: 0 | 1): RawBuilder<number> {
  return sql<number>`(is_replaced & ${REMOVED | REPEATED}) + ${replaced === 1 ? LEFT_BEHIND : 0}`;
}

/** The ids of the messages that the checkpoints brought, by the run that brought them. */
export async function messagesIn(
  db: Connection,
  threadId: string,
  checkpointIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const messages = new Map<string, Set<string>>();
  for (const ids of chunks(checkpointIds)) {
    const checkpoints = db.selectFrom('checkpoints').select(['run_id', 'delta']);
    const rows = checkpoints.where('checkpoint_id', 'in', ids).where('thread_id', '=', threadId);
    for (const { run_id, delta } of await rows.where('run_id', 'is not', null).execute()) {
      if (run_id === null) continue;
      const ofRun = messages.get(run_id) ?? new Set();
      messages.set(run_id, ofRun);
      for (const id of messageIds(unpackText(delta))) ofRun.add(id);
    }
  }
  return messages;
}

function messageIds(delta: string): readonly string[] {
  const parsed = parseJson(delta);
  const messages = isJsonObject(parsed) ? parsed.messages : undefined;
  return Array.isArray(messages) ? messages.flatMap((message) => idOf(message) ?? []) : [];
}

function idOf(message: unknown): string | undefined {
  const isObject = typeof message === 'object' && message !== null;
  return isObject && 'id' in message && typeof message.id === 'string' ? message.id : undefined;
}

function chunks<T>(items: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / CHUNK);
  return Array.from({ length: count }, (_, n) => items.slice(n * CHUNK, (n + 1) * CHUNK));
}
