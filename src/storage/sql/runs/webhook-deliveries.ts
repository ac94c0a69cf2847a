// Calls to the webhooks of runs, in SQL.
import { type SqlBool, sql } from 'kysely';
import type { Owner } from '../../storage.ts';
import type {
  ClaimedDelivery,
  WebhookClaim,
  WebhookDeliveries,
  WebhookReport,
  WebhookReports,
} from '../../webhook-deliveries.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { isOwned, readableBy, writableBy } from '../database/owner-filter.ts';
import { pageOf } from '../database/page-of.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { allOf, apply, isAny } from '../database/results.ts';
import { toRun } from './run-rows.ts';

/** Literals, so that the partial indexes are used. */
const FAILED = sql<SqlBool>`webhook_deliveries.status = 'failed'`;
const PENDING = sql<SqlBool>`webhook_deliveries.status = 'pending'`;

/** With the run, in its transaction. */
export async function insertDelivery(
  trx: WriteTransaction,
  run: { readonly runId: string; readonly userId: string | null; readonly now: number },
  url: string,
): Promise<void> {
  const { runId: run_id, userId: user_id, now } = run;
  const reported = REPORT.columnsOf({ status: 'pending', attempts: 0, lastStatus: null, lastError: null });
  const row = { run_id, user_id, url, ...reported, next_at: now, updated_at: now };
  await trx.insertInto('webhook_deliveries').values(row).execute();
}

const REPORT = plainColumns(['status', 'attempts', 'last_status', 'last_error']);
const FAILURE = plainColumns(['run_id', 'thread_id', 'url', 'attempts', 'last_status', 'last_error']);

export function createWebhookReports(database: Database, owner: Owner): WebhookReports {
  return {
    of: async (runIds) => {
      if (runIds.length === 0) return new Map();
      const reports = await database.read((db) => {
        const asked = db.selectFrom('webhook_deliveries').selectAll().where('run_id', 'in', runIds);
        return allOf(asked.where(readableBy(owner, 'user_id')), (row): [string, WebhookReport] => {
          const nextAttemptAt = row.status === 'pending' && row.attempts > 0 ? row.next_at : null;
          return [row.run_id, { ...REPORT.fieldsOf(row), nextAttemptAt }];
        });
      });
      return new Map(reports);
    },

    failed: (page) =>
      database.read((db) => {
        const failed = db
          .selectFrom('webhook_deliveries')
          .innerJoin('runs', 'runs.run_id', 'webhook_deliveries.run_id')
          .innerJoin('threads', 'threads.thread_id', 'runs.thread_id')
          .selectAll('webhook_deliveries')
          .select('runs.thread_id')
          .where(FAILED)
          .where(readableBy(owner, 'runs.user_id'))
          .where(isOwned('threads.user_id'))
          .orderBy('webhook_deliveries.updated_at', 'desc')
          .orderBy('webhook_deliveries.run_id')
          .modifyEnd(pageOf(page));
        return allOf(failed, (row) => ({ ...FAILURE.fieldsOf(row), failedAt: row.updated_at }));
      }),

    retry: (runId, now) =>
      database.write((trx) => {
        const again = trx
          .updateTable('webhook_deliveries')
          .set({ status: 'pending', attempts: 0, next_at: now, updated_at: now })
          .where('run_id', '=', runId)
          .where(FAILED)
          .where(writableBy(owner, 'user_id'));
        return isAny(again.returning('run_id'));
      }),
  };
}

export function createWebhookDeliveries(database: Database): WebhookDeliveries {
  return {
    async claim(claim) {
      // Most looks find nothing, and need no transaction.
      const due = await database.read((db) => dueRuns(db, claim));
      return due.length === 0 ? [] : database.write((trx) => claimRuns(trx, due, claim));
    },

    nextRetryAt: () =>
      database.read(async (db) => {
        const tried = db.selectFrom('webhook_deliveries').where(PENDING).where('attempts', '>', 0);
        const next = await tried.select('next_at').orderBy('next_at').limit(1).executeTakeFirst();
        return next?.next_at;
      }),

    finish: ({ run, attempt }, outcome, now) =>
      database.write((trx) => {
        const { status, lastStatus: last_status, lastError: last_error } = outcome;
        const next_at = outcome.status === 'pending' ? outcome.nextAt : undefined;
        const delivery = trx.updateTable('webhook_deliveries').where('run_id', '=', run.runId);
        const mine = delivery.where('attempts', '=', attempt).where(PENDING);
        return apply(mine.set({ status, last_status, last_error, updated_at: now, next_at }));
      }),
  };
}

/** Ids of runs, one of each user, in the order in which their calls became due. */
async function dueRuns(db: Connection, { now, limit, fullUsers }: WebhookClaim): Promise<readonly string[]> {
  const full = fullUsers.map((userId) => userId ?? '');
  const withFreePlaces =
    full.length === 0
      ? sql<SqlBool>`1 = 1`
      : sql<SqlBool>`coalesce(webhook_deliveries.user_id, '') not in (${sql.join(full)})`;
  const { rows } = await sql<{ run_id: string }>`
    select run_id from (
      select webhook_deliveries.run_id, next_at,
        row_number() over (partition by webhook_deliveries.user_id order by next_at, webhook_deliveries.run_id) as turn
      from webhook_deliveries join runs on runs.run_id = webhook_deliveries.run_id
      join threads on threads.thread_id = runs.thread_id and ${isOwned('threads.user_id')}
      where ${PENDING} and next_at <= ${now} and runs.status not in ('pending', 'running') and ${withFreePlaces}
    ) as due where turn = 1 order by next_at, run_id limit ${limit}`.execute(db);
  return rows.map((row) => row.run_id);
}

/** Of several processes that found the same call due, one gets it. */
async function claimRuns(
  trx: WriteTransaction,
  runIds: readonly string[],
  { now, leaseUntil }: WebhookClaim,
): Promise<readonly ClaimedDelivery[]> {
  const claimed = await trx
    .updateTable('webhook_deliveries')
    .set({ attempts: sql<number>`attempts + 1`, next_at: leaseUntil, updated_at: now })
    .where('run_id', 'in', runIds)
    .where(PENDING)
    .where('next_at', '<=', now)
    .returning(['run_id', 'url', 'attempts'])
    .execute();
  if (claimed.length === 0) return [];
  const ids = claimed.map((row) => row.run_id);
  const runs = await allOf(trx.selectFrom('runs').selectAll().where('run_id', 'in', ids), toRun);
  const byId = new Map(runs.map((run) => [run.runId, run]));
  return claimed.flatMap(({ run_id, url, attempts }) => {
    const run = byId.get(run_id);
    return run === undefined ? [] : [{ run, url, attempt: attempts }];
  });
}
