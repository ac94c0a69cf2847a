// The status of a thread: what its runs and updates leave it in.
import type { StopReason } from '../../runs.ts';
import type { ThreadStatus } from '../../threads.ts';
import type { WriteTransaction } from '../database/database.ts';
import { parseStrings } from '../database/json-column.ts';
import { statusAfter } from '../runs/run-cancellation.ts';
import type { CheckedThread, ThreadProjection } from './projection.ts';

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
  const isKept = ended.where((eb) =>
    eb.or([eb('stop_reason', 'is', null), eb('stop_reason', 'not in', WITHOUT_TRACE)]),
  );
  return [last, ...(await isKept.execute())];
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
