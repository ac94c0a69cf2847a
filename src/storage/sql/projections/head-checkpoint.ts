// Checks the head of a thread.
import type { WriteTransaction } from '../database/database.ts';
import { lineageTo } from '../messages/thread-lineage.ts';
import { type CheckedThread, type ThreadProjection, wrongColumn } from './projection.ts';

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
    const folded = await foldedHead(thread);
    if (folded !== undefined && folded !== thread.row.head_checkpoint_id)
      yield wrongColumn(thread, 'head_checkpoint_id', folded);
  },
};

/** Returns where the head must be, or `undefined` when it may stay where it is. */
async function foldedHead({ trx, row, isActive }: CheckedThread): Promise<string | null | undefined> {
  const stored = row.head_checkpoint_id;
  const head = stored === null ? undefined : await checkpointOf(trx, stored);
  const newest = await newestOwn(trx, row.thread_id);
  // Until its first step, a copy has the checkpoint that it was copied from as its head.
  if (newest === undefined) return head === undefined ? row.copied_from_checkpoint_id : undefined;
  const isDangling = stored !== null && head === undefined;
  if (newest.stop_reason === 'rolled_back' && !isActive)
    return isDangling || head?.run_id === newest.known_run_id ? headBefore(newest) : undefined;
  return isDangling || (await isBehind(trx, stored, newest)) ? newest.checkpoint_id : undefined;
}

/**
 * Returns the head before the run. It differs from the run's base if the run began at an older checkpoint.
 */
function headBefore({ former_head_id: former, base_checkpoint_id: base }: NewestCheckpoint): string | null {
  return former === '' ? null : (former ?? base);
}

async function checkpointOf(trx: WriteTransaction, checkpointId: string) {
  const row = trx.selectFrom('checkpoints').select('run_id').where('checkpoint_id', '=', checkpointId);
  return row.where('namespace', '=', '').executeTakeFirst();
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

/**
 * Whether the lineage of `end` passes the stored head before its end. `null`, the beginning, is behind
 * everything.
 */
async function isBehind(
  trx: WriteTransaction,
  stored: string | null,
  end: NewestCheckpoint,
): Promise<boolean> {
  // How a deleted run had ended is unknown.
  if (end.run_id !== null && end.known_run_id === null) return false;
  if (stored === end.checkpoint_id) return false;
  return stored === null || (await lineageTo(trx, end.checkpoint_id)).has(stored);
}
