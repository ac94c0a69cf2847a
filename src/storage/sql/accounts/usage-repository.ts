// What model calls took, in SQL, also of those that ended after their run.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { addMoney, type Money, NO_MONEY } from '../../../messages/money.ts';
import { isTerminal, type ModelUsage, type RunRecord } from '../../runs.ts';
import type { Owner } from '../../storage.ts';
import type { LateCall, ModelUsageOfThread, UsageOfDay, UsageRepository } from '../../usage.ts';
import type { AddUsage } from '../commits/add-usage.ts';
import type { CommitStatements } from '../commits/commit-statements.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { readableBy, writableBy } from '../database/owner-filter.ts';
import type { AppendRunEvents } from '../messages/append-run-events.ts';
import { toRun, toUsageByModel } from '../runs/run-rows.ts';

/** Read in a millisecond or two. */
const METADATA_PAGE = 10_000;

export function createUsageRepository(parts: LateCallParts): UsageRepository {
  const { database, owner } = parts;
  return {
    ofThread: (threadId) =>
      database.read(async (db) => {
        const sums = await endedRuns(db, owner, threadId)
          .select((eb) => [
            eb.fn.countAll().as('runs'),
            eb.fn.sum('runs.total_tokens').as('tokens'),
            eb.fn.sum('runs.total_input_tokens').as('inputTokens'),
            eb.fn.sum('runs.total_output_tokens').as('outputTokens'),
            eb.fn.sum('runs.lead_agent_tokens').as('leadAgentTokens'),
            eb.fn.sum('runs.subagent_tokens').as('subagentTokens'),
            eb.fn.sum('runs.middleware_tokens').as('middlewareTokens'),
          ])
          .executeTakeFirstOrThrow();
        const rows = await endedRuns(db, owner, threadId).select('runs.token_usage_by_model').execute();
        return {
          runs: Number(sums.runs),
          tokens: Number(sums.tokens ?? 0),
          inputTokens: Number(sums.inputTokens ?? 0),
          outputTokens: Number(sums.outputTokens ?? 0),
          leadAgentTokens: Number(sums.leadAgentTokens ?? 0),
          subagentTokens: Number(sums.subagentTokens ?? 0),
          middlewareTokens: Number(sums.middlewareTokens ?? 0),
          byModel: byModel(rows.map((row) => toUsageByModel(row.token_usage_by_model))),
        };
      }),

    async metadataBytes() {
      const ofThreads = await bytesIn('threads', 'thread_id', parts);
      return ofThreads + (await bytesIn('runs', 'run_id', parts));
    },

    countLate: (late) => countLate(parts, late),

    days: ({ from, to }) =>
      database.read(async (db) => {
        const rows = await db
          .selectFrom('usage_days')
          .selectAll()
          .where(writableBy(owner, 'user_id'))
          .where('day', '>=', from)
          .where('day', '<=', to)
          .orderBy('day')
          .orderBy('model')
          .orderBy('currency')
          .execute();
        return rows.map(
          (row): UsageOfDay => ({
            day: row.day,
            model: row.model,
            calls: row.calls,
            tokens: row.tokens,
            inputTokens: row.input_tokens,
            cachedInputTokens: row.cached_input_tokens,
            outputTokens: row.output_tokens,
            cost: moneyOf(row.currency, row.cost_nanos),
          }),
        );
      }),
  };
}

/** Read from an index that has nothing else in it, in pages that hold up nobody. */
async function bytesIn(
  table: 'threads' | 'runs',
  id: 'thread_id' | 'run_id',
  { database, owner }: LateCallParts,
): Promise<number> {
  const pageAfter = (after: string) => database.read((db) => metadataPage(db, { table, id, owner, after }));
  let page = await pageAfter('');
  let sum = page.bytes;
  while (page.next !== undefined) {
    await nextTurn();
    page = await pageAfter(page.next);
    sum += page.bytes;
  }
  return sum;
}

interface MetadataPage {
  readonly bytes: number;
  readonly next: string | undefined;
}

async function metadataPage(
  db: Connection,
  at: {
    readonly table: 'threads' | 'runs';
    readonly id: 'thread_id' | 'run_id';
    readonly owner: Owner;
    readonly after: string;
  },
): Promise<MetadataPage> {
  const id = sql.ref(at.id);
  const { rows } = await sql<{ entries: number; bytes: number | string | null; last: string | null }>`
    select count(*) as entries, sum(bytes) as bytes, max(id) as last from (
      select ${id} as id, octet_length(metadata) as bytes from ${sql.table(at.table)}
      where ${writableBy(at.owner, 'user_id')} and ${id} > ${at.after} and octet_length(metadata) > 2
      order by ${id} limit ${sql.lit(METADATA_PAGE)}
    ) as page`.execute(db);
  const { entries, bytes, last } = rows[0] ?? { entries: 0, bytes: 0, last: null };
  return { bytes: Number(bytes ?? 0), next: entries < METADATA_PAGE ? undefined : (last ?? undefined) };
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
    const before = models.get(model);
    models.set(model, {
      tokens: (before?.tokens ?? 0) + usage.tokens,
      inputTokens: (before?.inputTokens ?? 0) + usage.inputTokens,
      cachedInputTokens: (before?.cachedInputTokens ?? 0) + usage.cachedInputTokens,
      outputTokens: (before?.outputTokens ?? 0) + usage.outputTokens,
      cost: addMoney(before?.cost ?? NO_MONEY, usage.cost),
      calls: (before?.calls ?? 0) + usage.calls,
      runs: (before?.runs ?? 0) + 1,
    });
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
