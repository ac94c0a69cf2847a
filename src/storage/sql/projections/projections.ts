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
import { indexFindings, mendIndex, SEARCH_INDEX } from './search-index.ts';
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
];

const ORPHANS_AT_ONCE = 100;

export function createProjections(
  database: Database,
  parts: Pick<CheckedThread, 'messageRevisions' | 'headMoves'> & { readonly searchIndex: SearchIndex },
): Projections {
  const { searchIndex, messageRevisions, headMoves } = parts;
  return {
    names: [...OF_THREADS.map(({ name }) => name), SEARCH_INDEX, USAGE_DAYS],

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
      if (verdict.differences.some(({ projection, isMended }) => projection === SEARCH_INDEX && isMended))
        await mendIndex({ database, searchIndex }, threadId);
      return verdict;
    },

    async *verifyRest(options) {
      for (let after = ''; ; ) {
        const page = { after, limit: ORPHANS_AT_ONCE };
        const ids = await database.read((db) => orphanedThreads(db, page));
        for (const threadId of ids) {
          const found = await database.write((trx) => verifyOrphan(trx, threadId, options));
          if (found !== undefined) yield found;
          after = threadId;
        }
        if (ids.length < ORPHANS_AT_ONCE) break;
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
  const { database, trx } = transaction;
  const thread = await lockedThread(transaction, threadId, options);
  if (typeof thread === 'string') return { kind: thread };
  // Repairs change the current values of messages, so nothing may remain staged beside them.
  if (options.repair) await transaction.headMoves.settleWithin(trx, threadId);
  let { row } = thread;
  const differences: Difference[] = [];
  for (const { name, check } of OF_THREADS) {
    const found = await differencesOf({ name, threadId }, options, check({ ...transaction, ...thread, row }));
    differences.push(...found);
    if (found.some(({ isMended }) => isMended)) row = await rowOf(trx, threadId);
  }
  const entries = indexFindings(database, trx, threadId);
  differences.push(...(await differencesOf({ name: SEARCH_INDEX, threadId }, options, entries)));
  return { kind: 'verified', differences };
}

async function differencesOf(
  { name: projection, threadId }: { readonly name: string; readonly threadId: string },
  options: VerifyOptions,
  findings: AsyncIterable<Finding>,
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  try {
    for await (const finding of findings)
      differences.push(await reported({ projection, threadId }, finding, options));
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    differences.push(unreadable(projection, threadId, error));
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

async function reported(
  place: Pick<Difference, 'projection' | 'threadId'>,
  { runId, what, stored, folded, mend }: Finding,
  { repair }: Pick<VerifyOptions, 'repair'>,
): Promise<Difference> {
  if (repair) await mend();
  return {
    ...place,
    runId: runId ?? null,
    what,
    stored: text(stored),
    folded: text(folded),
    isMended: repair,
  };
}

async function verifyOrphan(
  trx: WriteTransaction,
  threadId: string,
  options: Pick<VerifyOptions, 'repair'>,
): Promise<Difference | undefined> {
  const finding = await checkOrphan(trx, threadId);
  return finding && reported({ projection: leftoversOfThread.name, threadId }, finding, options);
}

function isUnreadable(error: unknown): error is Error {
  return error instanceof SyntaxError || error instanceof TypeError || error instanceof z.ZodError;
}

/** Reports a row that this program did not write in this form, so that its correct value is unknown. */
function unreadable(projection: string, threadId: string, error: Error): Difference {
  return {
    projection,
    threadId,
    runId: null,
    what: 'rows',
    stored: `unreadable: ${error.message}`,
    folded: 'unknown',
    isMended: false,
  };
}

/** Returns the value as text on one line. */
function text(value: unknown): string {
  return typeof value === 'string' && !/\p{Cc}/u.test(value) ? value : JSON.stringify(value);
}
