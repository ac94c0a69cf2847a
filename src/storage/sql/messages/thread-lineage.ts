// The lineage of a thread's head, and which messages are on it.
import { type SqlBool, sql } from 'kysely';
import { ancestorsOf, type Read, readsIn } from '../checkpoints/ancestors.ts';
import type { WriteTransaction } from '../database/database.ts';
import { LEFT_BEHIND, REMOVED, REPEATED, SHOWN_MARK } from '../database/message-marks.ts';
import { pagesOf } from '../database/page-of.ts';
import { messageEvents, messageIdIn, messageIdOf, messagesInDelta } from './recorded-messages.ts';

const RUNS_AT_ONCE = 500;
const DELTAS_AT_ONCE = 20;

/** Returns the ids of a checkpoint and of its ancestors, oldest first; none for `null`. */
export async function lineageTo(
  trx: WriteTransaction,
  checkpointId: string | null,
): Promise<ReadonlySet<string>> {
  const ids: string[] = [];
  for await (const { checkpoint_id } of ancestorsOf(readsIn(trx), checkpointId)) ids.push(checkpoint_id);
  return new Set(ids.reverse());
}

interface JudgedMessage {
  readonly seq: number;
  readonly runId: string;
  readonly stored: number;
  /** The mark that follows from the checkpoints: 0 for a message on the lineage of the thread's head. */
  readonly folded: 0 | 1;
}

/**
 * Yields the message events of the thread whose checkpoints decide whether they are on the lineage. Omits
 * messages that no listing shows, because a run that was rolled back leaves the lineage without a branch.
 */
export async function* judgedMessages(
  trx: WriteTransaction,
  threadId: string,
  headId: string | null,
): AsyncGenerator<JudgedMessage> {
  const lineage = await lineageTo(trx, headId);
  const left = await checkpointsBeside(trx, threadId, lineage);
  // The deltas of a thread that never branched need not be unpacked.
  if (left.length === 0 && !(await hasReplaced(trx, threadId))) return;
  const onLineage = await messagesIn(readsIn(trx), threadId, [...lineage]);
  const offLineage = await messagesIn(readsIn(trx), threadId, left);
  const undone = await undoneRuns(trx, threadId);
  const judged = new Set([...onLineage.keys(), ...offLineage.keys()].filter((runId) => !undone.has(runId)));
  for (const runIds of pagesOf([...judged], RUNS_AT_ONCE)) {
    const events = messageEvents(trx, threadId).select(['seq', 'run_id', 'content', SHOWN_MARK.as('mark')]);
    const rows = await events.where('run_id', 'in', runIds).execute();
    for (const { seq, run_id: runId, content, mark } of rows) {
      const id = messageIdIn(content) ?? '';
      const folded = foldedMark(id, onLineage.get(runId), offLineage.get(runId));
      if (folded !== undefined) yield { seq, runId, stored: mark & LEFT_BEHIND, folded };
    }
  }
}

type Ids = ReadonlySet<string> | undefined;

/** Returns `undefined` for a message that no checkpoint of its run added. */
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
  const left = messageEvents(trx, threadId)
    .select('seq')
    .where(sql<SqlBool>`(${SHOWN_MARK} & ${LEFT_BEHIND}) <> 0`);
  return (await left.limit(1).executeTakeFirst()) !== undefined;
}

export async function undoneRuns(trx: WriteTransaction, threadId: string): Promise<ReadonlySet<string>> {
  const runs = trx.selectFrom('runs').select('run_id').where('thread_id', '=', threadId);
  const undone = await runs.where('stop_reason', 'in', ['rolled_back', 'replaced']).execute();
  return new Set(undone.map((row) => row.run_id));
}

/** Sets or clears the mark of a message that left the lineage. Other marks that hide the message stay. */
export async function markAsFolded(
  trx: WriteTransaction,
  threadId: string,
  { seq, folded }: Pick<JudgedMessage, 'seq' | 'folded'>,
): Promise<void> {
  const is_replaced = sql<number>`(is_replaced & ${REMOVED | REPEATED}) + ${folded === 1 ? LEFT_BEHIND : 0}`;
  const marked = trx.updateTable('run_events').set({ is_replaced }).where('thread_id', '=', threadId);
  await marked.where('seq', '=', seq).execute();
}

/** Returns the ids of the messages that the checkpoints added, by run. */
export async function messagesIn(
  read: Read,
  threadId: string,
  checkpointIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const messages = new Map<string, Set<string>>();
  for (const ids of pagesOf(checkpointIds, DELTAS_AT_ONCE)) {
    const rows = await read((db) =>
      db
        .selectFrom('checkpoints')
        .select(['run_id', 'delta'])
        .where('checkpoint_id', 'in', ids)
        .where('thread_id', '=', threadId)
        .execute(),
    );
    for (const { run_id, delta } of rows) {
      if (run_id === null) continue;
      const ofRun = messages.get(run_id) ?? new Set();
      messages.set(run_id, ofRun);
      for (const id of messagesInDelta(delta).flatMap((message) => messageIdOf(message) ?? [])) ofRun.add(id);
    }
  }
  return messages;
}
