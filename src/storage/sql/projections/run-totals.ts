// Checks the totals of a run: tokens by caller and by model, model calls, messages.
import { type Selectable, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../messages/message.ts';
import { COUNT_COLUMNS, type CountColumn } from '../../run-counts.ts';
import type { ModelUsage } from '../../runs.ts';
import { allRows } from '../database/all-rows.ts';
import type { WriteTransaction } from '../database/database.ts';
import { canonicalJson, parseJsonObject } from '../database/json-column.ts';
import { unpackText } from '../database/packed-text.ts';
import type { RunsTable } from '../database/run-tables.ts';
import { callIn, type FoldedRun, NO_CALLS, readCalls, withCall } from './folded-run.ts';
import type { CheckedThread, Finding, ThreadProjection } from './projection.ts';

/** Holds the sums of all runs of the thread in memory. Its events and checkpoints are read in pages. */
export const runTotals: ThreadProjection = {
  name: 'run totals',
  async *check(thread) {
    const calls = await foldCalls(thread);
    const messages = await countMessages(thread);
    for await (const run of runsOf(thread)) {
      const folded = calls.get(run.run_id) ?? NO_CALLS;
      // Without its first calls, the record does not show what the run used.
      const isReduced = folded.firstCall > 1 && run.llm_call_count > 0 && !(await hasRequests(thread, run));
      const message_count = messages.get(run.run_id) ?? 0;
      yield* differences(thread, run, isReduced ? { message_count } : { ...folded, message_count });
      if (!isReduced && folded.models !== undefined) yield* modelDifference(thread, run, folded.models);
    }
  },
};

const EVENTS_AT_ONCE = 200;
const CHECKPOINTS_AT_ONCE = 20;
const RUNS_AT_ONCE = 200;

async function foldCalls({ trx, row }: CheckedThread): Promise<ReadonlyMap<string, FoldedRun>> {
  const runs = new Map<string, FoldedRun>();
  const events = allRows({ by: 'seq', after: 0, atOnce: EVENTS_AT_ONCE }, (after) => {
    const condition = sql<SqlBool>`run_events.thread_id = ${row.thread_id} and run_events.seq > ${after}`;
    return readCalls(trx, condition, EVENTS_AT_ONCE);
  });
  for await (const event of events)
    runs.set(event.run_id, withCall(runs.get(event.run_id) ?? NO_CALLS, callIn(event)));
  return runs;
}

const messageDelta = z.object({ messages: z.array(z.object({ type: z.string() })) });

/** Counts, by run, the messages that the lead agent's steps and inputs added. */
async function countMessages({ trx, row }: CheckedThread): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const checkpoints = allRows({ by: 'checkpoint_id', after: '', atOnce: CHECKPOINTS_AT_ONCE }, (after) =>
    trx
      .selectFrom('checkpoints')
      .select(['checkpoint_id', 'run_id', 'delta'])
      .where('thread_id', '=', row.thread_id)
      .where('namespace', '=', '')
      .where('checkpoint_id', '>', after)
      .orderBy('checkpoint_id')
      .limit(CHECKPOINTS_AT_ONCE)
      .execute(),
  );
  for await (const { run_id, delta } of checkpoints) {
    if (run_id === null) continue;
    const { messages } = messageDelta.parse(JSON.parse(unpackText(delta)));
    const added = messages.filter(({ type }) => type !== 'remove').length;
    counts.set(run_id, (counts.get(run_id) ?? 0) + added);
  }
  return counts;
}

type RunRow = Pick<Selectable<RunsTable>, 'run_id' | 'token_usage_by_model' | CountColumn>;

function runsOf({ trx, row }: CheckedThread): AsyncGenerator<RunRow> {
  return allRows({ by: 'run_id', after: '', atOnce: RUNS_AT_ONCE }, (after) =>
    trx
      .selectFrom('runs')
      .select(['run_id', 'token_usage_by_model', ...COUNT_COLUMNS])
      .where('thread_id', '=', row.thread_id)
      .where('run_id', '>', after)
      .orderBy('run_id')
      .limit(RUNS_AT_ONCE)
      .execute(),
  );
}

async function hasRequests({ trx, row }: CheckedThread, { run_id }: RunRow): Promise<boolean> {
  const { rows } = await sql`
    select 1 from run_events where thread_id = ${row.thread_id} and run_id = ${run_id}
      and event_type = 'llm_request' and (metadata like '%"llm_call_index":1,%' or metadata like '%"llm_call_index":1}%') limit 1`.execute(
    trx,
  );
  return rows.length > 0;
}

function* differences(
  { trx }: CheckedThread,
  run: RunRow,
  counts: Readonly<Partial<Record<CountColumn, number>>>,
): Generator<Finding> {
  for (const column of COUNT_COLUMNS) {
    const folded = counts[column];
    if (folded === undefined || folded === run[column]) continue;
    yield {
      runId: run.run_id,
      what: column,
      stored: run[column],
      folded,
      mend: () => mendRun(trx, run, { [column]: folded }),
    };
  }
}

function* modelDifference(
  { trx }: CheckedThread,
  run: RunRow,
  folded: Readonly<Record<string, ModelUsage>>,
): Generator<Finding> {
  const stored = parseJsonObject(run.token_usage_by_model);
  if (isSame(stored, folded)) return;
  const mended = Object.entries(folded).map(([model, usage]) => {
    const before = stored[model] ?? null;
    return [model, isJsonObject(before) ? { ...before, ...usage } : usage];
  });
  yield {
    runId: run.run_id,
    what: 'token_usage_by_model',
    stored: run.token_usage_by_model,
    folded: JSON.stringify(folded),
    mend: () => mendRun(trx, run, { token_usage_by_model: JSON.stringify(Object.fromEntries(mended)) }),
  };
}

function mendRun(trx: WriteTransaction, { run_id }: RunRow, columns: Partial<RunRow>) {
  return trx.updateTable('runs').set(columns).where('run_id', '=', run_id).execute();
}

/** Accepts that rows of an earlier release have fewer fields. */
function isSame(stored: JsonObject, folded: Readonly<Record<string, ModelUsage>>): boolean {
  const models = Object.entries(folded);
  if (models.length !== Object.keys(stored).length) return false;
  return models.every(([model, usage]) => {
    const before = stored[model] ?? null;
    if (!isJsonObject(before)) return false;
    return Object.entries(usage).every(([field, folded]) => {
      const value = before[field];
      const isNew = field === 'cachedInputTokens' || field === 'cost';
      return value === undefined ? isNew : canonicalJson(value) === canonicalJson(folded);
    });
  });
}
