// Checks the head of a thread.
import type { WriteTransaction } from '../database/database.ts';
import { lineageTo } from '../messages/thread-lineage.ts';
import type { CheckedThread, ThreadProjection } from './projection.ts';

interface NewestCheckpoint {
  readonly checkpoint_id: string;
  readonly run_id: string | null;
  /** The run that made it; `null` when it was made outside a run, or the run was deleted. */
  readonly known_run_id: string | null;
  readonly stop_reason: string | null;
  readonly base_checkpoint_id: string | null;
  readonly former_head_id: string | null;
}

/**
 * Reports a head that does not exist, one that the thread's own lineage has passed, and one of a run that was
 * rolled back. A head on another branch than the newest checkpoint is a deliberate choice.
 */
export const headCheckpoint: ThreadProjection = {
  name: 'head checkpoint',
  async *check(thread) {
    const stored = thread.row.head_checkpoint_id;
    const folded = await foldedHead(thread);
    if (folded === undefined || folded === stored) return;
    yield {
      what: 'head_checkpoint_id',
      stored,
      folded,
      mend: () =>
        thread.trx
          .updateTable('threads')
          .set({ head_checkpoint_id: folded })
          .where('thread_id', '=', thread.row.thread_id)
          .execute(),
    };
  },
};

/** Returns where the head must be, or `undefined` when it may stay where it is. */
async function foldedHead(thread: CheckedThread): Promise<string | null | undefined> {
  const { trx, row, isActive } = thread;
  const stored = row.head_checkpoint_id;
  const isDangling = stored !== null && !(await isThere(trx, stored));
  const newest = await newestOwn(trx, row.thread_id);
  if (newest === undefined) return isDangling ? row.copied_from_checkpoint_id : copiedHead(row);
  const isUndone = newest.stop_reason === 'rolled_back' && !isActive;
  const end = isUndone ? headBefore(newest) : newest.checkpoint_id;
  const isWrong = isDangling || (await isPassed(trx, stored, { newest, isUndone }));
  return isWrong ? end : undefined;
}

/**
 * Returns the head before the run. It differs from the run's base if the run began at an older checkpoint.
 */
function headBefore({ former_head_id: former, base_checkpoint_id: base }: NewestCheckpoint): string | null {
  return former === '' ? null : (former ?? base);
}

/** Until its first step, a copy has the checkpoint that it was copied from as its head. */
function copiedHead({ head_checkpoint_id, copied_from_checkpoint_id }: CheckedThread['row']) {
  return head_checkpoint_id === null ? copied_from_checkpoint_id : undefined;
}

/** Whether the thread continued from the stored head, or was rolled back to before it. */
async function isPassed(
  trx: WriteTransaction,
  stored: string | null,
  { newest, isUndone }: { readonly newest: NewestCheckpoint; readonly isUndone: boolean },
): Promise<boolean> {
  if (isUndone) return isOfRun(trx, stored, newest.known_run_id);
  // How a deleted run had ended is unknown.
  if (newest.run_id !== null && newest.known_run_id === null) return false;
  return isBehind(trx, stored, newest.checkpoint_id);
}

async function newestOwn(trx: WriteTransaction, threadId: string): Promise<NewestCheckpoint | undefined> {
  return trx
    .selectFrom('checkpoints')
    .leftJoin('runs', 'runs.run_id', 'checkpoints.run_id')
    .select(['checkpoints.checkpoint_id', 'checkpoints.run_id', 'runs.run_id as known_run_id'])
    .select(['runs.stop_reason', 'runs.base_checkpoint_id', 'runs.former_head_id'])
    .where('checkpoints.thread_id', '=', threadId)
    .where('checkpoints.namespace', '=', '')
    .orderBy('checkpoints.created_at', 'desc')
    .orderBy('checkpoints.step', 'desc')
    .orderBy('checkpoints.checkpoint_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function isThere(trx: WriteTransaction, checkpointId: string): Promise<boolean> {
  const row = trx.selectFrom('checkpoints').select('checkpoint_id').where('checkpoint_id', '=', checkpointId);
  return (await row.where('namespace', '=', '').executeTakeFirst()) !== undefined;
}

async function isOfRun(trx: WriteTransaction, checkpointId: string | null, runId: string | null) {
  if (checkpointId === null || runId === null) return false;
  const row = trx.selectFrom('checkpoints').select('run_id').where('checkpoint_id', '=', checkpointId);
  return (await row.executeTakeFirst())?.run_id === runId;
}

/**
 * Whether the lineage of `end` passes `checkpointId` before its end. `null`, the beginning, is behind
 * everything.
 */
async function isBehind(trx: WriteTransaction, checkpointId: string | null, end: string): Promise<boolean> {
  if (checkpointId === end) return false;
  if (checkpointId === null) return true;
  return (await lineageTo(trx, end)).has(checkpointId);
}
