// The statements of the group commit that read and change runs and threads.
import { type RawBuilder, sql } from 'kysely';
import type { ThreadChange } from '../../run-commits.ts';
import { byColumn, columnsOfCounts } from '../../run-counts.ts';
import type { RunPatch } from '../../runs.ts';
import { createBulkChange, createIdsStatement } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import type { RunsTable } from '../database/run-tables.ts';
import type { ThreadsTable } from '../database/tables.ts';
import { statusAtRest } from '../runs/run-cancellation.ts';
import { endedAt } from '../runs/run-numbers.ts';
import { fromFormerHead } from '../runs/run-rows.ts';

interface RunPatchRow {
  readonly runId: string;
  readonly patch: RunPatch;
  readonly ended: boolean;
  readonly now: number;
}

interface ThreadPatchRow {
  readonly threadId: string;
  readonly patch: ThreadChange;
  readonly now: number;
}

type RunningRun = Pick<RunsTable, 'run_id' | 'thread_id' | 'user_id' | 'attempt' | 'lease_owner'>;
type ThreadRow = Pick<ThreadsTable, 'thread_id' | 'user_id' | 'display_name'>;

export type CommitStatements = ReturnType<typeof createCommitStatements>;

export function createCommitStatements(database: Database) {
  const { queries } = database;
  const forUpdate = database.name === 'postgres' ? sql` for update` : sql``;
  const lockThreads = createIdsStatement(
    queries,
    (ids) => sql<Pick<ThreadRow, 'thread_id'>>`
      select thread_id from threads where thread_id in (${ids}) order by thread_id for update skip locked`,
  );
  const readThreads = createIdsStatement(
    queries,
    (ids) => sql<ThreadRow>`
      select thread_id, user_id, display_name from threads where thread_id in (${ids})`,
  );
  const patchRuns = createBulkChange(queries, { name: 'patch', columns: RUN_PATCH }, patchRunsSql);
  const patchThreads = createBulkChange(queries, { name: 'patch', columns: THREAD_PATCH }, patchThreadsSql);
  return {
    /**
     * Locks the threads, always before runs, so that writers cannot deadlock. Returns the threads that others
     * have locked, without waiting for them.
     */
    lockThreads: async (trx: WriteTransaction, threadIds: readonly string[]) => {
      // SQLite has one writer at a time, so no other holds a lock.
      if (database.name === 'sqlite') return [];
      const locked = new Set((await lockThreads(trx, threadIds)).map((row) => row.thread_id));
      const others = threadIds.filter((threadId) => !locked.has(threadId));
      // Threads that do not exist are not locked.
      return (await readThreads(trx, others)).map((row) => row.thread_id);
    },

    /** Returns those of the runs that are `running`, locked against other writers. */
    readRuns: createIdsStatement(
      queries,
      (ids) => sql<RunningRun>`
        select run_id, thread_id, user_id, attempt, lease_owner from runs
        where run_id in (${ids}) and status = 'running' order by run_id${forUpdate}`,
    ),

    readThreads,

    patchRuns: (trx: WriteTransaction, rows: readonly RunPatchRow[]) => patchRuns(trx, rows.map(toRunValues)),

    patchThreads: (trx: WriteTransaction, rows: readonly ThreadPatchRow[]) =>
      patchThreads(trx, rows.map(toThreadValues)),
  };
}

/** Columns that a patch may change. A column that it leaves empty keeps its value. */
const PATCHED = {
  status: 'text',
  stop_reason: 'text',
  error: 'text',
  base_checkpoint_id: 'text',
  former_head_id: 'text',
  ...byColumn(() => 'bigint' as const),
  token_usage_by_model: 'text',
} as const satisfies { readonly [column in keyof RunsTable]?: 'text' | 'bigint' };

const RUN_PATCH = {
  id: 'text',
  patched_at: 'bigint',
  has_ended: 'bigint',
  ended_at: 'bigint',
  ...PATCHED,
} as const;

/**
 * The lease ends with the run. The run ends after all runs accepted before its end, even if the clock was set
 * back.
 */
function patchRunsSql(patch: RawBuilder<unknown>): RawBuilder<never> {
  const columns = Object.keys(PATCHED).map(
    (column) =>
      sql`${sql.ref(column)} = coalesce(${sql.ref(`patch.${column}`)}, ${sql.ref(`runs.${column}`)})`,
  );
  return sql`
    with ${patch}
    update runs set
      updated_at = patched_at,
      finished_at = case
        when has_ended = 0 or ended_at is null then coalesce(ended_at, finished_at)
        else ${endedAt(sql`ended_at`)}
      end,
      lease_owner = case when has_ended = 0 then lease_owner end,
      is_first = case when has_ended = 0 then is_first end,
      ${sql.join(columns)}
    from patch where run_id = id`;
}

function toRunValues({ runId, patch, ended, now }: RunPatchRow) {
  const { totals } = patch;
  return {
    id: runId,
    patched_at: now,
    has_ended: ended ? 1 : 0,
    ended_at: patch.finishedAt ?? null,
    status: patch.status ?? null,
    stop_reason: patch.stopReason ?? null,
    error: patch.error ?? null,
    base_checkpoint_id: patch.baseCheckpointId ?? null,
    former_head_id: fromFormerHead(patch.formerHead),
    ...(totals === undefined ? byColumn(() => null) : columnsOfCounts(totals)),
    token_usage_by_model: totals === undefined ? null : JSON.stringify(totals.tokenUsageByModel),
  };
}

const THREAD_PATCH = {
  id: 'text',
  patched_at: 'bigint',
  new_status: 'text',
  new_name: 'text',
  moves_head: 'bigint',
  new_head: 'text',
} as const;

/** Runs after the runs were patched: a thread with an active run stays busy, whatever its change says. */
function patchThreadsSql(patch: RawBuilder<unknown>): RawBuilder<never> {
  return sql`
    with ${patch}
    update threads set
      updated_at = patched_at,
      state_updated_at = patched_at,
      status = case
        when new_status is null then status
        when exists (
          select 1 from runs where runs.thread_id = patch.id and runs.status in ('pending', 'running')
        ) then 'busy'
        when new_status = 'as_before' then ${statusAtRest(sql.ref('patch.id'))}
        else new_status
      end,
      display_name = coalesce(new_name, display_name),
      head_checkpoint_id = case when moves_head = 1 then new_head else head_checkpoint_id end
    from patch where thread_id = id`;
}

function toThreadValues({ threadId, patch, now }: ThreadPatchRow) {
  const { status = null, displayName = null, headCheckpointId: head } = patch;
  return {
    id: threadId,
    patched_at: now,
    new_status: status,
    new_name: displayName,
    moves_head: head === undefined ? 0 : 1,
    new_head: head ?? null,
  };
}
