// The statements of the group commit that read and change runs and threads.
import { type RawBuilder, sql } from 'kysely';
import type { ThreadChange } from '../run-commits.ts';
import type { RunPatch, RunTotals } from '../runs.ts';
import { createBulkStatement, type SqlValue } from './bulk-statement.ts';
import type { Database, WriteTransaction } from './database.ts';
import { statusAtRest } from './run-cancellation.ts';
import { endedAt } from './run-numbers.ts';

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

interface RunningRun {
  readonly run_id: string;
  readonly thread_id: string;
  readonly user_id: string | null;
  readonly attempt: number;
}

interface TitledThread {
  readonly thread_id: string;
  readonly user_id: string | null;
  readonly display_name: string | null;
}

export interface CommitStatements {
  /** Threads are always locked before runs and in the order of their ids, so that writers never wait in a circle. */
  lockThreads(trx: WriteTransaction, threadIds: readonly string[]): Promise<void>;
  /** Those of the runs that are `running`, kept from other writers. */
  readRuns(trx: WriteTransaction, runIds: readonly string[]): Promise<readonly RunningRun[]>;
  /** The titles that the threads have. */
  readTitles(trx: WriteTransaction, threadIds: readonly string[]): Promise<readonly TitledThread[]>;
  patchRuns(trx: WriteTransaction, rows: readonly RunPatchRow[]): Promise<void>;
  patchThreads(trx: WriteTransaction, rows: readonly ThreadPatchRow[]): Promise<void>;
}

export function createCommitStatements(database: Database): CommitStatements {
  const { queries } = database;
  const forUpdate = database.name === 'postgres' ? sql` for update` : sql``;
  const lockThreads = createBulkStatement(
    queries,
    sql`${null}`,
    (ids) => sql`select thread_id from threads where thread_id in (${ids}) order by thread_id${forUpdate}`,
  );
  const readRuns = createBulkStatement(
    queries,
    sql`${null}`,
    (ids) => sql<RunningRun>`
      select run_id, thread_id, user_id, attempt from runs
      where run_id in (${ids}) and status = 'running' order by run_id${forUpdate}`,
  );
  const readTitles = createBulkStatement(
    queries,
    sql`${null}`,
    (ids) => sql<TitledThread>`
      select thread_id, user_id, display_name from threads where thread_id in (${ids})`,
  );
  const patchRuns = createBulkStatement(queries, RUN_PATCH_ROW, patchRunsSql);
  const patchThreads = createBulkStatement(queries, THREAD_PATCH_ROW, patchThreadsSql);
  return {
    lockThreads: async (trx, threadIds) => {
      if (database.name === 'postgres') await lockThreads(trx, threadIds.map(alone));
    },
    readRuns: (trx, runIds) => readRuns(trx, runIds.map(alone)),
    readTitles: (trx, threadIds) => readTitles(trx, threadIds.map(alone)),
    patchRuns: async (trx, rows) => {
      await patchRuns(trx, rows.map(toRunValues));
    },
    patchThreads: async (trx, rows) => {
      await patchThreads(trx, rows.map(toThreadValues));
    },
  };
}

function alone(id: string): readonly string[] {
  return [id];
}

function placeholders(types: readonly ('text' | 'bigint')[]): RawBuilder<unknown> {
  return sql`(${sql.join(types.map((type) => sql`cast(${null} as ${sql.raw(type)})`))})`;
}

const RUN_PATCH_ROW = placeholders([
  'text',
  'bigint',
  'bigint',
  'text',
  'text',
  'text',
  'text',
  'bigint',
  'bigint',
  'bigint',
  'bigint',
  'bigint',
  'bigint',
  'bigint',
  'bigint',
  'bigint',
  'text',
  'text',
]);

/**
 * An absent field keeps the column: a patch never empties one. The lease ends with the run, and the run after those that
 * were accepted meanwhile, also when the clock was set back.
 */
function patchRunsSql(rows: RawBuilder<unknown>): RawBuilder<never> {
  return sql`
    with patch (id, at, ended, new_status, new_stop_reason, new_error, new_base, new_finished,
      input_tokens, output_tokens, tokens, calls, lead, subagent, middleware, messages, by_model, new_former)
    as (values ${rows})
    update runs set
      updated_at = at,
      status = coalesce(new_status, status),
      stop_reason = coalesce(new_stop_reason, stop_reason),
      error = coalesce(new_error, error),
      base_checkpoint_id = coalesce(new_base, base_checkpoint_id),
      former_head_id = coalesce(new_former, former_head_id),
      finished_at = case
        when ended = 0 or new_finished is null then coalesce(new_finished, finished_at)
        else ${endedAt(sql`new_finished`)}
      end,
      lease_owner = case when ended = 0 then lease_owner end,
      lease_until = case when ended = 0 then lease_until end,
      total_input_tokens = coalesce(input_tokens, total_input_tokens),
      total_output_tokens = coalesce(output_tokens, total_output_tokens),
      total_tokens = coalesce(tokens, total_tokens),
      llm_call_count = coalesce(calls, llm_call_count),
      lead_agent_tokens = coalesce(lead, lead_agent_tokens),
      subagent_tokens = coalesce(subagent, subagent_tokens),
      middleware_tokens = coalesce(middleware, middleware_tokens),
      message_count = coalesce(messages, message_count),
      token_usage_by_model = coalesce(by_model, token_usage_by_model)
    from patch where run_id = id`;
}

function toRunValues({ runId, patch, ended, now }: RunPatchRow): readonly SqlValue[] {
  return [
    runId,
    now,
    ended ? 1 : 0,
    patch.status ?? null,
    patch.stopReason ?? null,
    patch.error ?? null,
    patch.baseCheckpointId ?? null,
    patch.finishedAt ?? null,
    ...(patch.totals === undefined ? NO_TOTAL_VALUES : toTotalValues(patch.totals)),
    patch.formerHead === undefined ? null : (patch.formerHead.checkpointId ?? ''),
  ];
}

const NO_TOTAL_VALUES: readonly null[] = Array<null>(9).fill(null);

function toTotalValues(totals: RunTotals): readonly SqlValue[] {
  return [
    totals.totalInputTokens,
    totals.totalOutputTokens,
    totals.totalTokens,
    totals.llmCallCount,
    totals.leadAgentTokens,
    totals.subagentTokens,
    totals.middlewareTokens,
    totals.messageCount,
    JSON.stringify(totals.tokenUsageByModel),
  ];
}

const THREAD_PATCH_ROW = placeholders(['text', 'bigint', 'text', 'text', 'bigint', 'text']);

/** Runs after the runs were patched: a thread that still has an active run stays busy, whatever its change says. */
function patchThreadsSql(rows: RawBuilder<unknown>): RawBuilder<never> {
  return sql`
    with patch (id, at, new_status, new_name, moves_head, new_head) as (values ${rows})
    update threads set
      updated_at = at,
      state_updated_at = at,
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

function toThreadValues({ threadId, patch, now }: ThreadPatchRow): readonly SqlValue[] {
  const { status = null, displayName = null, headCheckpointId: head } = patch;
  return [threadId, now, status, displayName, head === undefined ? 0 : 1, head ?? null];
}
