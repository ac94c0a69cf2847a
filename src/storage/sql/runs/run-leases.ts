// Decides through rows which worker executes a run.
import { type NotNull, type SqlBool, sql } from 'kysely';
import type { ClaimedRun, RunClaim, RunLeases } from '../../run-leases.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import type { RunLogRows } from '../log/run-log-rows.ts';
import { fenceExpired, removeGone } from '../log/workers.ts';
import { type ClaimStatements, createClaimStatements, type Glance, RUNNING } from './claim-statements.ts';
import { ClaimedRuns, ofUsersWithFreePlaces, takeInTurns } from './fair-claim.ts';
import type { RunQueues } from './run-queue.ts';
import { toRun } from './run-rows.ts';

export function createRunLeases(database: Database, parts: Pick<Claiming, 'logRows' | 'queues'>): RunLeases {
  const statements = createClaimStatements(database);
  const claiming = (trx: WriteTransaction): Claiming => ({ ...parts, database, statements, trx });
  return {
    async claim(claim, limit, runIds) {
      if (runIds !== undefined) {
        return database.write((trx) => claimAsked(claiming(trx), claim, { limit, runIds }));
      }
      // Most sweeps find nothing, and need no transaction.
      const seen = await database.read((db) => statements.glance(db, claim));
      if (!Object.values(seen).some(Boolean)) return [];
      return database.write((trx) => sweep(claiming(trx), claim, { limit, seen }));
    },

    held: (workerId) =>
      database.read((db) =>
        heldBy(db, workerId)
          .select(['run_id as runId', 'attempt', 'cancel_stop_reason as stopReason'])
          .execute(),
      ),

    cancelRequests: (workerId) =>
      database.read((db) =>
        heldBy(db, workerId)
          .select(['run_id as runId', 'cancel_stop_reason as stopReason'])
          .where('cancel_stop_reason', 'is not', null)
          .$narrowType<{ stopReason: NotNull }>()
          .execute(),
      ),

    // The run stays first in its queue, because no other run may start in the middle of its work.
    release: ({ workerId, runId, attempt }, now) =>
      database.write(async (trx) => {
        await trx
          .updateTable('runs')
          .set({ status: 'pending', attempt: attempt - 1, lease_owner: null, updated_at: now })
          .where(RUNNING)
          .where('run_id', '=', runId)
          .where('lease_owner', '=', workerId)
          .where('attempt', '=', attempt)
          .execute();
      }),

    giveUp: (workerId, runIds) =>
      database.write(async (trx) => {
        const given = trx.updateTable('runs').set({ lease_owner: null }).where(RUNNING);
        await given.where('lease_owner', '=', workerId).where('run_id', 'in', runIds).execute();
      }),
  };
}

function heldBy(db: Connection, workerId: string) {
  return db.selectFrom('runs').where(RUNNING).where('lease_owner', '=', workerId);
}

interface Claiming {
  readonly database: Database;
  readonly logRows: RunLogRows;
  readonly queues: RunQueues;
  readonly statements: ClaimStatements;
  readonly trx: WriteTransaction;
}

/**
 * Reads all requested runs regardless of the limit, because runs of a user without free places must not hide
 * those of another.
 */
async function claimAsked(
  claiming: Claiming,
  claim: RunClaim,
  { limit, runIds }: { readonly limit: number; readonly runIds: readonly string[] },
): Promise<readonly ClaimedRun[]> {
  const { queues, statements, trx } = claiming;
  await queues.enterDue(trx);
  const { fromAttempt } = suspicion(claim);
  const taken = new ClaimedRuns(limit, claim.shares);
  const found = await statements.findAsked(trx, runIds);
  taken.take(found.filter(({ attempt, is_cancelled }) => attempt < fromAttempt || Boolean(is_cancelled)));
  return take(claiming, claim, taken);
}

async function sweep(
  claiming: Claiming,
  claim: RunClaim,
  { limit, seen }: { readonly limit: number; readonly seen: Glance },
): Promise<readonly ClaimedRun[]> {
  const { database, logRows, queues, statements, trx } = claiming;
  const { fromAttempt, suspects } = suspicion(claim);
  const taken = new ClaimedRuns(limit, claim.shares);
  // First, because it locks threads, which other transactions lock before runs and workers.
  if (seen.has_due) await queues.enterDue(trx);
  // The next attempts read what the fenced workers have logged.
  if (seen.has_expired) await logRows.sort(trx, await fenceExpired(database, trx, claim.workerId));
  const hasFenced = seen.has_fenced || seen.has_expired;
  let doubtful = 0;
  if (hasFenced || seen.has_given_up) {
    const suspect = sql<SqlBool>`(attempt >= ${fromAttempt} and cancel_stop_reason is null)`;
    const normal = sql<SqlBool>`not ${suspect} and ${ofUsersWithFreePlaces(claim.shares)}`;
    taken.take(await statements.findAbandoned(trx, normal, taken.left));
    const withFreePlaces = sql<SqlBool>`${suspect} and ${ofUsersWithFreePlaces(claim.shares)}`;
    doubtful = taken.take(
      await statements.findAbandoned(trx, withFreePlaces, Math.min(suspects, taken.left)),
    );
  }
  if (seen.has_waiting || seen.has_due) {
    await takeWaiting(claiming, taken, { ...claim, fromAttempt, suspects: suspects - doubtful });
  }
  const runs = await take(claiming, claim, taken);
  if (hasFenced) await removeGone(trx);
  return runs;
}

async function takeWaiting(
  claiming: Claiming,
  taken: ClaimedRuns,
  { shares, fromAttempt, suspects }: Pick<RunClaim, 'shares'> & ReturnType<typeof suspicion>,
): Promise<void> {
  const { statements, trx } = claiming;
  if (shares !== undefined) await takeInTurns(claiming, taken, { shares, fromAttempt });
  else if (taken.left > 0) {
    taken.take(await statements.findOldest(trx, { fromAttempt, limit: taken.left }));
  }
  const limit = Math.min(suspects, taken.left);
  // A suspect whose user has no free place must not hide one of another user.
  if (limit > 0) taken.take(await statements.findSuspects(trx, { fromAttempt, limit: SUSPECTS_SEEN }), limit);
}

/** Suspects are few. */
const SUSPECTS_SEEN = 50;

/** No run has so many attempts. */
const NEVER = 2_147_483_647;

/** Returns from how many attempts on runs are suspects, and how many suspects may be claimed. */
function suspicion({ suspects }: RunClaim) {
  return { fromAttempt: suspects?.fromAttempt ?? NEVER, suspects: suspects?.limit ?? 0 };
}

async function take(
  { statements, trx }: Pick<Claiming, 'statements' | 'trx'>,
  claim: RunClaim,
  { ids, newIds }: ClaimedRuns,
): Promise<readonly ClaimedRun[]> {
  if (ids.length === 0) return [];
  const rows = await statements.take(trx, claim, ids);
  const order = new Map(ids.map((id, index) => [id, index]));
  const runs = rows.map((row) => ({ ...toRun(row), isNew: newIds.has(row.run_id) }));
  return runs.sort((a, b) => (order.get(a.runId) ?? 0) - (order.get(b.runId) ?? 0));
}
