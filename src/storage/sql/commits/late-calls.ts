// Model calls that ended after their run, in SQL.
import type { RunRecord } from '../../runs.ts';
import { isTerminal } from '../../runs.ts';
import type { Owner } from '../../storage.ts';
import type { LateCall, UsageRepository } from '../../usage.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { writableBy } from '../database/owner-filter.ts';
import type { AppendRunEvents } from '../messages/append-run-events.ts';
import { toRun } from '../runs/run-rows.ts';
import type { AddUsage } from './add-usage.ts';
import type { CommitStatements } from './commit-statements.ts';

export interface LateCallParts {
  readonly database: Database;
  readonly owner: Owner;
  readonly addUsage: AddUsage;
  readonly appendRunEvents: AppendRunEvents;
  readonly patchRuns: CommitStatements['patchRuns'];
}

/** See `UsageRepository.countLate`. */
export function countLate(parts: LateCallParts, late: LateCall): ReturnType<UsageRepository['countLate']> {
  return parts.database.write(async (trx) => {
    const run = await lockedRun(parts, trx, late.runId);
    if (run !== undefined && !isTerminal(run.status)) return 'running';
    if (run !== undefined) {
      const { runId, threadId, userId } = run;
      await parts.appendRunEvents(trx, [{ threadId, runId, userId, events: late.record }]);
      const patch = { totals: late.totals(run.totals) };
      await parts.patchRuns(trx, [{ runId, patch, ended: false, now: late.now }]);
    }
    const userId = typeof parts.owner === 'string' ? parts.owner : (run?.userId ?? null);
    if (userId === null || !(await isLeaving(trx, userId)))
      await parts.addUsage(trx, [{ userId, spent: late.spent }]);
    return 'counted';
  });
}

/** The account is gone, and with it what it had spent: nothing of it comes back. */
async function isLeaving(trx: WriteTransaction, userId: string): Promise<boolean> {
  const note = trx.selectFrom('account_removals').select('user_id').where('user_id', '=', userId);
  return (await note.executeTakeFirst()) !== undefined;
}

/** The thread is locked first, as by every writer. */
async function lockedRun(
  { database, owner }: LateCallParts,
  trx: WriteTransaction,
  runId: string,
): Promise<RunRecord | undefined> {
  const found = trx.selectFrom('runs').select('thread_id').where('run_id', '=', runId);
  const threadId = (await found.executeTakeFirst())?.thread_id;
  if (threadId === undefined) return undefined;
  const thread = trx.selectFrom('threads').select('thread_id').where('thread_id', '=', threadId);
  const mine = await database.locked(thread).where(writableBy(owner, 'user_id')).executeTakeFirst();
  if (mine === undefined) return undefined;
  const run = trx.selectFrom('runs').selectAll().where('run_id', '=', runId);
  const row = await database.locked(run).executeTakeFirst();
  return row && toRun(row);
}
