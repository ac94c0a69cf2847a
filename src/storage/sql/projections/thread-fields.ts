// What the row of a thread copies: its status, its title, the counter of its events, and its metadata to be searched.

import { sql } from 'kysely';
import { z } from 'zod';
import type { StopReason } from '../../runs.ts';
import type { ThreadStatus } from '../../threads.ts';
import type { WriteTransaction } from '../database/database.ts';
import { parseJsonObject, parseStrings } from '../database/json-column.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';
import { statusAfter } from '../runs/run-cancellation.ts';
import { entryHashes, indexMetadata } from '../search/thread-metadata.ts';
import type { CheckedThread, ThreadProjection } from './projection.ts';

/** The status of a thread: what its runs and updates leave it in. */
export const threadStatus: ThreadProjection = {
  name: 'thread status',
  async *check(thread) {
    const { trx, row } = thread;
    const possible = thread.isActive ? BUSY : await possibleAtRest(thread);
    const [folded] = possible;
    if (folded === undefined || possible.includes(row.status)) return;
    yield {
      what: 'status',
      stored: row.status,
      folded,
      mend: () =>
        trx.updateTable('threads').set({ status: folded }).where('thread_id', '=', row.thread_id).execute(),
    };
  },
};

const BUSY: readonly ThreadStatus[] = ['busy'];
const ANY_AT_REST: readonly ThreadStatus[] = ['idle', 'interrupted', 'error'];

/** The likeliest first. There are several where the record does not tell in which order things were. */
async function possibleAtRest({ trx, row }: CheckedThread): Promise<readonly ThreadStatus[]> {
  const ended = await endedRuns(trx, row.thread_id);
  const kept = ended.find(({ stop_reason }) => !isWithoutTrace(stop_reason));
  const possible: ThreadStatus[] = [kept === undefined ? 'idle' : statusAfter(kept.status)];
  if (ended[0]?.stop_reason === 'rolled_back') possible.push('interrupted');
  const head = await headOf(trx, row.head_checkpoint_id);
  if (head?.source === 'update') possible.push(parseStrings(head.next).length > 0 ? 'interrupted' : 'idle');
  return (await hasDeletedRuns(trx, row)) ? [...possible, ...ANY_AT_REST] : possible;
}

/** It leaves its thread as it was. */
function isWithoutTrace(stopReason: StopReason | null): boolean {
  return stopReason !== null && WITHOUT_TRACE.includes(stopReason);
}

const WITHOUT_TRACE: readonly StopReason[] = ['rolled_back', 'already_answered'];

/** The one that ended last, and the last one that left a trace. */
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

/** A run that was deleted takes along what it left the thread in; its last number stays taken. */
async function hasDeletedRuns(trx: WriteTransaction, { thread_id, last_seq }: CheckedThread['row']) {
  const events = trx.selectFrom('run_events').where('thread_id', '=', thread_id);
  const found = await events.select((eb) => eb.fn.max('seq').as('highest')).executeTakeFirst();
  return last_seq > (found?.highest ?? 0);
}

/** A state without a title leaves the thread the one that it has. */
export const title: ThreadProjection = {
  name: 'title',
  async *check({ trx, row, isActive }) {
    // A run gives the thread its title at its end.
    if (isActive || row.head_checkpoint_id === null) return;
    const folded = await titleAt(trx, row.head_checkpoint_id);
    if (folded === undefined || folded === row.display_name) return;
    yield {
      what: 'display_name',
      stored: row.display_name,
      folded,
      mend: () =>
        trx
          .updateTable('threads')
          .set({ display_name: folded })
          .where('thread_id', '=', row.thread_id)
          .execute(),
    };
  },
};

/** Texts that are read at once. */
const PAGE = 20;

const titled = z.object({ values: z.object({ title: z.unknown() }) });

/** From the newest delta back to the first that says something about the title. */
async function titleAt(trx: WriteTransaction, head: string): Promise<string | undefined> {
  const ids = await lineageBack(trx, head);
  for (let start = 0; start < ids.length; start += PAGE) {
    const page = ids.slice(start, start + PAGE);
    const rows = await trx
      .selectFrom('checkpoints')
      .select(['checkpoint_id', sql<PackedText>`coalesce(snapshot, delta)`.as('text')])
      .where('checkpoint_id', 'in', page)
      .execute();
    const texts = new Map(rows.map((row) => [row.checkpoint_id, row.text]));
    for (const id of page) {
      const delta = titled.safeParse(JSON.parse(unpackText(texts.get(id) ?? '{}')));
      if (!delta.success || delta.data.values.title === undefined) continue;
      return typeof delta.data.values.title === 'string' ? delta.data.values.title : undefined;
    }
  }
  return undefined;
}

/** Newest first, as far as the nearest snapshot. */
async function lineageBack(trx: WriteTransaction, head: string): Promise<readonly string[]> {
  const { rows } = await sql<{ checkpoint_id: string }>`
    with recursive line (checkpoint_id, parent_id, depth) as (
      select checkpoint_id, case when snapshot is null then parent_id end, 0
      from checkpoints where checkpoint_id = ${head}
      union all
      select parent.checkpoint_id, case when parent.snapshot is null then parent.parent_id end, line.depth + 1
      from line join checkpoints as parent on parent.checkpoint_id = line.parent_id
    ) select checkpoint_id from line order by depth`.execute(trx);
  return rows.map((row) => row.checkpoint_id);
}

/**
 * The counter that gives run events their `seq`: never below the highest one; above it, where runs were deleted.
 */
export const lastSeq: ThreadProjection = {
  name: 'seq counter',
  async *check({ trx, row }) {
    const { thread_id, last_seq: stored } = row;
    const events = trx.selectFrom('run_events').where('thread_id', '=', thread_id);
    const found = await events.select((eb) => eb.fn.max('seq').as('highest')).executeTakeFirst();
    const folded = found?.highest ?? 0;
    if (stored >= folded) return;
    yield {
      what: 'last_seq',
      stored,
      folded,
      mend: () =>
        trx.updateTable('threads').set({ last_seq: folded }).where('thread_id', '=', thread_id).execute(),
    };
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
