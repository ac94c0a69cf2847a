// Checks what the row of a thread copies: its status, title, event counter and searchable metadata.

import { sql } from 'kysely';
import { z } from 'zod';
import type { StopReason } from '../../runs.ts';
import type { ThreadStatus } from '../../threads.ts';
import type { WriteTransaction } from '../database/database.ts';
import { parseJsonObject, parseStrings } from '../database/json-column.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';
import { pagesOf } from '../database/page-of.ts';
import { lineageTo } from '../messages/thread-lineage.ts';
import { statusAfter } from '../runs/run-cancellation.ts';
import { entryHashes, indexMetadata } from '../search/thread-metadata.ts';
import { type CheckedThread, type ThreadProjection, wrongColumn } from './projection.ts';

/** The status of a thread, which follows from its runs and updates. */
export const threadStatus: ThreadProjection = {
  name: 'thread status',
  async *check(thread) {
    const possible = thread.isActive ? BUSY : await possibleAtRest(thread);
    const [folded] = possible;
    if (folded !== undefined && !possible.includes(thread.row.status))
      yield wrongColumn(thread, 'status', folded);
  },
};

const BUSY: readonly ThreadStatus[] = ['busy'];
const ANY_AT_REST: readonly ThreadStatus[] = ['idle', 'interrupted', 'error'];

/**
 * Returns the possible statuses, likeliest first. There are several when the record does not show the order
 * of events.
 */
async function possibleAtRest({ trx, row }: CheckedThread): Promise<readonly ThreadStatus[]> {
  const ended = await endedRuns(trx, row.thread_id);
  const kept = ended.find(({ stop_reason }) => !isWithoutTrace(stop_reason));
  const possible: ThreadStatus[] = [kept === undefined ? 'idle' : statusAfter(kept.status)];
  if (ended[0]?.stop_reason === 'rolled_back') possible.push('interrupted');
  const head = await headOf(trx, row.head_checkpoint_id);
  if (head?.source === 'update') possible.push(parseStrings(head.next).length > 0 ? 'interrupted' : 'idle');
  // A deleted run no longer shows in which status it left the thread, but its last `seq` stays used.
  const hasDeletedRuns = row.last_seq > (await highestSeq(trx, row.thread_id));
  return hasDeletedRuns ? [...possible, ...ANY_AT_REST] : possible;
}

/** True when a run with this stop reason leaves its thread as it was. */
function isWithoutTrace(stopReason: StopReason | null): boolean {
  return stopReason !== null && WITHOUT_TRACE.includes(stopReason);
}

const WITHOUT_TRACE: readonly StopReason[] = ['rolled_back', 'already_answered'];

/** Returns the run that ended last, and the last one that changed its thread. */
async function endedRuns(trx: WriteTransaction, threadId: string) {
  const ended = trx
    .selectFrom('runs')
    .select(['status', 'stop_reason'])
    .where('thread_id', '=', threadId)
    .where('finished_at', 'is not', null)
    .orderBy('finished_at', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('run_id', 'desc')
    .limit(1);
  const last = await ended.executeTakeFirst();
  if (last === undefined) return [];
  if (!isWithoutTrace(last.stop_reason)) return [last];
  const isOwned = ended.where((eb) =>
    eb.or([eb('stop_reason', 'is', null), eb('stop_reason', 'not in', WITHOUT_TRACE)]),
  );
  return [last, ...(await isOwned.execute())];
}

async function headOf(trx: WriteTransaction, checkpointId: string | null) {
  if (checkpointId === null) return undefined;
  const head = trx.selectFrom('checkpoints').select(['source', 'next']);
  return head.where('checkpoint_id', '=', checkpointId).executeTakeFirst();
}

async function highestSeq(trx: WriteTransaction, threadId: string): Promise<number> {
  const events = trx.selectFrom('run_events').where('thread_id', '=', threadId);
  const found = await events.select((eb) => eb.fn.max('seq').as('highest')).executeTakeFirst();
  return found?.highest ?? 0;
}

/** The title of a thread. A state without a title leaves it unchanged. */
export const title: ThreadProjection = {
  name: 'title',
  async *check(thread) {
    const { trx, row, isActive } = thread;
    // A run sets the title of its thread when it ends.
    if (isActive || row.head_checkpoint_id === null) return;
    const folded = await titleAt(trx, row.head_checkpoint_id);
    if (folded !== undefined && folded !== row.display_name)
      yield wrongColumn(thread, 'display_name', folded);
  },
};

/** Texts per page. */
const PAGE = 20;

const titled = z.object({ values: z.object({ title: z.unknown() }) });

/** Reads from the newest delta back to the first with a title, at most to the nearest snapshot. */
async function titleAt(trx: WriteTransaction, head: string): Promise<string | undefined> {
  const ids = [...(await lineageTo(trx, head))].reverse();
  for (const page of pagesOf(ids, PAGE)) {
    const rows = await trx
      .selectFrom('checkpoints')
      .select(['checkpoint_id', sql<PackedText>`coalesce(snapshot, delta)`.as('text')])
      .select(sql<number | boolean>`snapshot is not null`.as('is_whole'))
      .where('checkpoint_id', 'in', page)
      .orderBy('step', 'desc')
      .execute();
    for (const { text, is_whole } of rows) {
      const title = titled.safeParse(JSON.parse(unpackText(text))).data?.values.title;
      if (title !== undefined || is_whole) return typeof title === 'string' ? title : undefined;
    }
  }
  return undefined;
}

/**
 * The counter for the `seq` of run events. It is never below the highest `seq`, and above it where runs were
 * deleted.
 */
export const lastSeq: ThreadProjection = {
  name: 'seq counter',
  async *check(thread) {
    const { trx, row } = thread;
    const folded = await highestSeq(trx, row.thread_id);
    if (row.last_seq < folded) yield wrongColumn(thread, 'last_seq', folded);
  },
};

/** The searchable copy of a thread's metadata. */
export const metadataIndex: ThreadProjection = {
  name: 'metadata index',
  async *check({ trx, row }) {
    const { thread_id, user_id } = row;
    const metadata = parseJsonObject(row.metadata);
    const query = trx.selectFrom('thread_metadata').select(['entry_hash', 'user_id']);
    const rows = await query.where('thread_id', '=', thread_id).execute();
    const stored = new Set(rows.map(({ entry_hash }) => entry_hash));
    const folded = new Set(entryHashes(metadata));
    const missing = [...folded].filter((hash) => !stored.has(hash)).length;
    const surplus = [...stored].filter((hash) => !folded.has(hash)).length;
    const foreign = rows.filter((it) => it.user_id !== user_id).length;
    if (missing + surplus + foreign === 0) return;
    yield {
      what: 'entries',
      stored: `${stored.size} (${missing} missing, ${surplus} too many, ${foreign} of somebody else)`,
      folded: folded.size,
      async mend() {
        await trx.deleteFrom('thread_metadata').where('thread_id', '=', thread_id).execute();
        await indexMetadata(trx, { threadId: thread_id, userId: user_id }, metadata);
      },
    };
  },
};
