// The list of projections, and their verification thread by thread.
import { sql } from 'kysely';
import { z } from 'zod';
import type { SearchIndex } from '../../message-search.ts';
import type { Difference, Projections, ThreadVerdict, VerifyOptions } from '../../projections.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { isDeletedOwner, isHiddenOwner } from '../database/owner-filter.ts';
import { hasActiveRun } from '../runs/run-cancellation.ts';
import { headCheckpoint } from './head-checkpoint.ts';
import { checkOrphan, leftoversOfThread, orphanedThreads, removalNote } from './leftovers.ts';
import type { CheckedThread, Finding, ThreadProjection } from './projection.ts';
import { replacedMessages, revisedMessages } from './revised-messages.ts';
import { runTotals } from './run-totals.ts';
import { mendIndex, searchEntries } from './search-index.ts';
import { lastSeq, metadataIndex, threadStatus, title } from './thread-fields.ts';
import { USAGE_DAYS, verifyUsageDays } from './usage-days.ts';

/** In this order, because a later projection may be folded from what an earlier one has repaired. */
const OF_THREADS: readonly ThreadProjection[] = [
  leftoversOfThread,
  removalNote,
  lastSeq,
  headCheckpoint,
  threadStatus,
  title,
  replacedMessages,
  revisedMessages,
  runTotals,
  metadataIndex,
  searchEntries,
];

export function createProjections(
  database: Database,
  parts: Pick<CheckedThread, 'messageRevisions' | 'headMoves'> & { readonly searchIndex: SearchIndex },
): Projections {
  const { searchIndex, messageRevisions, headMoves } = parts;
  return {
    names: [...OF_THREADS.map(({ name }) => name), USAGE_DAYS],

    threadIds: (after, limit) =>
      database.read(async (db) => {
        const ids = db
          .selectFrom('threads')
          .select('thread_id')
          .where('thread_id', '>', after ?? '');
        return (await ids.orderBy('thread_id').limit(limit).execute()).map((row) => row.thread_id);
      }),

    async verifyThread(threadId, options) {
      const verdict = await database.write(async (trx) => {
        if (!options.repair) await leaveNoTrace(database, trx);
        return verifyThread({ database, trx, messageRevisions, headMoves }, threadId, options);
      });
      if (verdict.kind !== 'verified') return verdict;
      const hasMended = ({ projection, isMended }: Difference) =>
        projection === searchEntries.name && isMended;
      if (verdict.differences.some(hasMended)) await mendIndex({ database, searchIndex }, threadId);
      return verdict;
    },

    async *verifyRest(options) {
      for await (const { thread_id: threadId } of orphanedThreads(database)) {
        const place = { projection: leftoversOfThread.name, threadId };
        yield* await database.write((trx) => differencesOf(place, checkOrphan(trx, threadId), options));
      }
      yield* verifyUsageDays(database, options);
    },
  };
}

type Transaction = Pick<CheckedThread, 'database' | 'trx' | 'messageRevisions' | 'headMoves'>;

/** A comparison without repair writes only locks, which need not survive a crash. */
async function leaveNoTrace(database: Database, trx: WriteTransaction): Promise<void> {
  if (database.name === 'postgres') await sql`set local synchronous_commit to off`.execute(trx);
}

async function verifyThread(
  transaction: Transaction,
  threadId: string,
  options: VerifyOptions,
): Promise<ThreadVerdict> {
  const { trx, headMoves } = transaction;
  const thread = await lockedThread(transaction, threadId, options);
  if (typeof thread === 'string') return { kind: thread };
  // Repairs change the current values of messages, so nothing may remain staged beside them.
  if (options.repair) await headMoves.settleWithin(trx, threadId);
  let { row } = thread;
  const differences: Difference[] = [];
  for (const { name: projection, check } of OF_THREADS) {
    const findings = check({ ...transaction, ...thread, row });
    const found = await differencesOf({ projection, threadId }, findings, options);
    differences.push(...found);
    if (found.some(({ isMended }) => isMended)) row = await rowOf(trx, threadId);
  }
  return { kind: 'verified', differences };
}

async function differencesOf(
  place: Pick<Difference, 'projection' | 'threadId'>,
  findings: AsyncIterable<Finding>,
  { repair }: Pick<VerifyOptions, 'repair'>,
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  try {
    for await (const { runId = null, what, stored, folded, mend } of findings) {
      if (repair) await mend();
      differences.push({
        ...place,
        runId,
        what,
        stored: text(stored),
        folded: text(folded),
        isMended: repair,
      });
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const stored = `unreadable: ${error.message}`;
    differences.push({ ...place, runId: null, what: 'rows', stored, folded: 'unknown', isMended: false });
  }
  return differences;
}

function rowOf(trx: WriteTransaction, threadId: string): Promise<CheckedThread['row']> {
  return trx.selectFrom('threads').selectAll().where('thread_id', '=', threadId).executeTakeFirstOrThrow();
}

async function lockedThread({ database, trx }: Transaction, threadId: string, options: VerifyOptions) {
  const query = trx.selectFrom('threads').selectAll().where('thread_id', '=', threadId);
  const isSkipping = options.busyThreads === 'skip' && database.name === 'postgres';
  const row = await (isSkipping ? query.forUpdate().skipLocked() : database.locked(query)).executeTakeFirst();
  if (row === undefined) {
    if (!isSkipping) return 'gone';
    return (await query.executeTakeFirst()) === undefined ? 'gone' : 'busy';
  }
  if (isDeletedOwner(row.user_id)) return 'gone';
  if (isHiddenOwner(row.user_id)) return 'busy';
  const isActive = await hasActiveRun(trx, threadId);
  return isActive && options.busyThreads === 'skip' ? 'busy' : { row, isActive };
}

/** Whether this program did not write a row in this form, so that its correct value is unknown. */
function isUnreadable(error: unknown): error is Error {
  return error instanceof SyntaxError || error instanceof TypeError || error instanceof z.ZodError;
}

/** Returns the value as text on one line. */
function text(value: unknown): string {
  return typeof value === 'string' && !/\p{Cc}/u.test(value) ? value : JSON.stringify(value);
}
