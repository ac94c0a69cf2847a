// Background tasks, which continue after the reply of the agent that gave them, in SQL.
import { type Selectable, type SqlBool, sql } from 'kysely';
import type {
  BackgroundTask,
  BackgroundTaskRepository,
  BackgroundTasks,
  ListedBackgroundTask,
} from '../../background-tasks.ts';
import type { RunChange } from '../../run-commits.ts';
import type { RunStatus } from '../../runs.ts';
import type { Owner } from '../../storage.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { writableBy } from '../database/owner-filter.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { allOf, apply, firstOf, isAny } from '../database/results.ts';
import type { BackgroundTasksTable } from '../database/tables.ts';

const TASK = plainColumns([
  'task_id',
  'user_id',
  'parent_thread_id',
  'parent_run_id',
  'call_id',
  'thread_id',
  'run_id',
  'subagent',
  'description',
  'prompt',
  'state',
  'created_at',
  'updated_at',
]);

/** A literal, so that the partial index is used. */
const OPEN = sql<SqlBool>`background_tasks.settled = 0`;

/**
 * Inserts tasks in the transaction of the results of their calls. A task that exists already stays as it is.
 */
export async function insertTasks(
  trx: WriteTransaction,
  changes: readonly (RunChange & { readonly ownerId: string | null })[],
  now: number,
): Promise<void> {
  for (const { ownerId, threadId, runId, backgroundTasks } of changes) {
    if (ownerId === null) continue;
    for (const task of backgroundTasks) {
      const begun = { userId: ownerId, parentThreadId: threadId, parentRunId: runId, runId: null } as const;
      const times = { createdAt: now, updatedAt: now };
      await trx
        .insertInto('background_tasks')
        .values({
          ...TASK.columnsOf({ ...task, ...begun, ...times, state: 'waiting' }),
          settled: 0,
          due_at: now,
          leased_until: 0,
        })
        .onConflict((conflict) => conflict.column('task_id').doNothing())
        .execute();
    }
  }
}

/**
 * Orphans the tasks of a deleted thread. They end even while another process works on them, and nothing is
 * reported.
 */
export function orphanTasks(trx: WriteTransaction, parentThreadId: string): Promise<void> {
  const tasks = trx.updateTable('background_tasks').where('parent_thread_id', '=', parentThreadId);
  return apply(tasks.set({ state: 'orphaned', settled: 0, due_at: 0 }));
}

export function createBackgroundTaskRepository(database: Database, owner: Owner): BackgroundTaskRepository {
  const listed = (db: Connection, parentThreadId: string) =>
    db
      .selectFrom('background_tasks')
      .leftJoin('runs', 'runs.run_id', 'background_tasks.run_id')
      .selectAll('background_tasks')
      .select('runs.status as run_status')
      .where('parent_thread_id', '=', parentThreadId)
      .where(writableBy(owner, 'background_tasks.user_id'));
  return {
    list: (parentThreadId, { limit, offset }) =>
      database.read((db) => {
        const ordered = listed(db, parentThreadId).orderBy('background_tasks.created_at', 'desc');
        return allOf(ordered.orderBy('task_id', 'desc').limit(limit).offset(offset), toListed);
      }),

    openIds: (parentThreadId) =>
      database.read((db) => {
        const open = listed(db, parentThreadId).where(OPEN).where('state', 'in', ['waiting', 'running']);
        return allOf(open, (row) => row.task_id);
      }),

    cancel: (parentThreadId, taskId, now) =>
      database.write(async (trx) => {
        await trx
          .updateTable('background_tasks')
          .set({ state: 'cancelled', due_at: now, updated_at: now })
          .where('task_id', '=', taskId)
          .where('parent_thread_id', '=', parentThreadId)
          .where('state', 'in', ['waiting', 'running'])
          .where(writableBy(owner, 'user_id'))
          .execute();
        return firstOf(listed(trx, parentThreadId).where('task_id', '=', taskId), toListed);
      }),
  };
}

export function createBackgroundTasks(database: Database): BackgroundTasks {
  return {
    areOpen: () =>
      database.read((db) => isAny(db.selectFrom('background_tasks').select('task_id').where(OPEN).limit(1))),

    claim: async (claim) => {
      // Most passes find nothing, and need no transaction.
      const due = await database.read((db) => dueTasks(db, claim));
      return due.length === 0 ? [] : database.write((trx) => claimTasks(trx, due, claim));
    },

    begun: (task, runId, now) =>
      change(database, task, { state: 'running', run_id: runId, due_at: now, updated_at: now }),

    settle: (task, state, now) => change(database, task, { state, settled: 1, updated_at: now }),

    giveBack: (task, dueAt) => change(database, task, { due_at: dueAt }),

    remove: ({ taskId }) =>
      database.write((trx) => apply(trx.deleteFrom('background_tasks').where('task_id', '=', taskId))),

    orphansOf: (parentThreadId) =>
      database.read((db) => {
        const orphans = db.selectFrom('background_tasks').selectAll().where('state', '=', 'orphaned');
        return allOf(orphans.where('parent_thread_id', '=', parentThreadId), TASK.fieldsOf);
      }),

    freeAll: () =>
      database.write((trx) =>
        apply(trx.updateTable('background_tasks').set({ leased_until: 0 }).where(OPEN)),
      ),
  };
}

type Claim = Parameters<BackgroundTasks['claim']>[0];

function dueTasks(db: Connection, { now, limit }: Claim): Promise<readonly string[]> {
  const due = db
    .selectFrom('background_tasks')
    .leftJoin('runs', 'runs.run_id', 'background_tasks.run_id')
    .leftJoin('threads', 'threads.thread_id', 'background_tasks.parent_thread_id')
    .leftJoin('checkpoints', 'checkpoints.checkpoint_id', 'threads.head_checkpoint_id')
    .select('background_tasks.task_id')
    .where(OPEN)
    .where('due_at', '<=', now)
    .where('leased_until', '<=', now)
    .where(HAS_WORK)
    .orderBy('due_at')
    .orderBy('task_id')
    .limit(limit);
  return allOf(due, (row) => row.task_id);
}

/**
 * For a running task: its run has ended or is gone, and its parent thread neither has an active run nor waits
 * for an answer. A report would not count as an answer, and the question would be lost.
 */
const HAS_WORK = sql<SqlBool>`(background_tasks.state <> 'running' or (
  coalesce(runs.status, '') not in ('pending', 'running')
  and coalesce(threads.status, '') <> 'busy'
  and (coalesce(threads.status, '') <> 'interrupted' or coalesce(checkpoints.next, '[]') = '[]')
))`;

/** Claims tasks. Of several processes that found the same task, one gets it. */
function claimTasks(trx: WriteTransaction, taskIds: readonly string[], { now, leaseUntil }: Claim) {
  const claimed = trx
    .updateTable('background_tasks')
    .set({ leased_until: leaseUntil })
    .where('task_id', 'in', taskIds)
    .where(OPEN)
    .where('leased_until', '<=', now);
  return allOf(claimed.returningAll(), TASK.fieldsOf);
}

type Change = Partial<Pick<BackgroundTasksTable, 'state' | 'settled' | 'run_id' | 'due_at' | 'updated_at'>>;

/**
 * Releases the task and changes it. A task that was cancelled or orphaned since the claim is only released.
 */
function change(database: Database, task: BackgroundTask, changed: Change): Promise<void> {
  return database.write(async (trx) => {
    const row = trx.updateTable('background_tasks').where('task_id', '=', task.taskId);
    await row.set({ leased_until: 0 }).execute();
    await row.set(changed).where('state', '=', task.state).execute();
  });
}

function toListed(
  row: Selectable<BackgroundTasksTable> & { readonly run_status: RunStatus | null },
): ListedBackgroundTask {
  return { ...TASK.fieldsOf(row), runStatus: row.run_status };
}
