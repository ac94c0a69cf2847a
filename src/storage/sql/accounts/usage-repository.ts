// The usage of model calls, in SQL, including calls that ended after their run.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { type Money, NO_MONEY } from '../../../messages/money.ts';
import { COUNT_COLUMNS, type CountColumn } from '../../run-counts.ts';
import { addUsage, isTerminal, type ModelUsage, NO_USAGE } from '../../runs.ts';
import type { Owner } from '../../storage.ts';
import type { LateCall, ModelUsageOfThread, UsageRepository } from '../../usage.ts';
import type { AddUsage } from '../commits/add-usage.ts';
import type { CommitStatements } from '../commits/commit-statements.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { readableBy, writableBy } from '../database/owner-filter.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { allOf, firstOf, isAny } from '../database/results.ts';
import type { AppendRunEvents } from '../messages/append-run-events.ts';
import { lockThreadOf } from '../runs/run-repository.ts';
import { toRun, toUsageByModel } from '../runs/run-rows.ts';

/** Number of entries that are read in a millisecond or two. */
const METADATA_PAGE = 10_000;

const DAY = plainColumns([
  'day',
  'model',
  'calls',
  'tokens',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
]);

export function createUsageRepository(parts: LateCallParts): UsageRepository {
  const { database, owner } = parts;
  return {
    ofThread: (threadId) =>
      database.read(async (db) => {
        const runs = await endedRuns(db, owner, threadId)
          .select([...COUNT_COLUMNS, 'token_usage_by_model'])
          .execute();
        const sumOf = (column: CountColumn) => runs.reduce((sum, run) => sum + run[column], 0);
        return {
          runs: runs.length,
          tokens: sumOf('total_tokens'),
          inputTokens: sumOf('total_input_tokens'),
          outputTokens: sumOf('total_output_tokens'),
          leadAgentTokens: sumOf('lead_agent_tokens'),
          subagentTokens: sumOf('subagent_tokens'),
          middlewareTokens: sumOf('middleware_tokens'),
          byModel: byModel(runs.map((run) => toUsageByModel(run.token_usage_by_model))),
        };
      }),

    async metadataBytes() {
      const ofThreads = await bytesIn('threads', 'thread_id', parts);
      return ofThreads + (await bytesIn('runs', 'run_id', parts));
    },

    countLate: (late) => countLate(parts, late),

    days: ({ from, to }) =>
      database.read((db) => {
        const days = db
          .selectFrom('usage_days')
          .selectAll()
          .where(writableBy(owner, 'user_id'))
          .where('day', '>=', from)
          .where('day', '<=', to)
          .orderBy('day')
          .orderBy('model')
          .orderBy('currency');
        return allOf(days, (row) => ({ ...DAY.fieldsOf(row), cost: moneyOf(row.currency, row.cost_nanos) }));
      }),
  };
}

interface MetadataPage {
  readonly entries: number;
  readonly bytes: number | string | null;
  readonly last: string | null;
}

/** Returns the size of metadata, read from a dedicated index in pages that block no other work. */
async function bytesIn(
  table: 'threads' | 'runs',
  id: 'thread_id' | 'run_id',
  { database, owner }: LateCallParts,
): Promise<number> {
  let sum = 0;
  for (let after: string | null = ''; after !== null; await nextTurn()) {
    const page: RawBuilder<MetadataPage> = sql`
      select count(*) as entries, sum(bytes) as bytes, max(id) as last from (
        select ${sql.ref(id)} as id, octet_length(metadata) as bytes from ${sql.table(table)}
        where ${writableBy(owner, 'user_id')} and ${sql.ref(id)} > ${after} and octet_length(metadata) > 2
        order by ${sql.ref(id)} limit ${sql.lit(METADATA_PAGE)}
      ) as page`;
    const { rows } = await database.read((db) => page.execute(db));
    const { entries, bytes, last } = rows[0] ?? { entries: 0, bytes: 0, last: null };
    sum += Number(bytes ?? 0);
    after = entries < METADATA_PAGE ? null : last;
  }
  return sum;
}

function endedRuns(db: Connection, owner: Owner, threadId: string) {
  return db
    .selectFrom('runs')
    .innerJoin('threads', 'threads.thread_id', 'runs.thread_id')
    .where(readableBy(owner, 'threads.user_id'))
    .where(readableBy(owner, 'runs.user_id'))
    .where('runs.thread_id', '=', threadId)
    .where('runs.status', 'not in', ['pending', 'running']);
}

function moneyOf(currency: string, nanos: number): Money {
  return currency === '' ? NO_MONEY : { [currency]: nanos };
}

function byModel(runs: readonly Readonly<Record<string, ModelUsage>>[]): Record<string, ModelUsageOfThread> {
  const models = new Map<string, ModelUsageOfThread>();
  for (const [model, usage] of runs.flatMap((run) => Object.entries(run))) {
    const { runs: asked, ...before } = models.get(model) ?? { ...NO_USAGE, runs: 0 };
    models.set(model, { ...addUsage(before, usage), runs: asked + 1 });
  }
  return Object.fromEntries(models);
}

interface LateCallParts {
  readonly database: Database;
  readonly owner: Owner;
  readonly addUsage: AddUsage;
  readonly appendRunEvents: AppendRunEvents;
  readonly patchRuns: CommitStatements['patchRuns'];
}

/** See `UsageRepository.countLate`. */
function countLate(parts: LateCallParts, late: LateCall): ReturnType<UsageRepository['countLate']> {
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

/** Whether the account is deleted. Its usage was deleted with it and must not reappear. */
function isLeaving(trx: WriteTransaction, userId: string): Promise<boolean> {
  return isAny(trx.selectFrom('account_removals').select('user_id').where('user_id', '=', userId));
}

/** Returns the run, locked after its thread, as by every writer. */
async function lockedRun(parts: LateCallParts, trx: WriteTransaction, runId: string) {
  if ((await lockThreadOf(parts, trx, runId)) === undefined) return undefined;
  const run = trx.selectFrom('runs').selectAll().where('run_id', '=', runId);
  return firstOf(parts.database.locked(run), toRun);
}
