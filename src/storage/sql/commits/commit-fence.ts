// Decides which changes of a group commit may be written: those of runs that the reporting worker still
// executes.
import { z } from 'zod';
import type { CommitOutcome, LogFlush, RunChange } from '../../run-commits.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import type { RunLogRows } from '../log/run-log-rows.ts';
import { fenceWorker } from '../log/workers.ts';
import type { CommitStatements } from './commit-statements.ts';

/** A change with the owner of its run. */
export interface FencedChange extends RunChange {
  readonly ownerId: string | null;
}

/** `closed`: nothing may be written, because the worker is fenced or the commit is written already. */
type Entered =
  | { readonly kind: 'open'; readonly current: readonly FencedChange[]; readonly outcome: CommitOutcome }
  | { readonly kind: 'closed'; readonly outcome: CommitOutcome };

const ids = z.array(z.string());
const storedOutcome = z.object({ lost: ids, blocked: ids });
export const NOTHING_LOST: CommitOutcome = { lost: [], blocked: [] };

interface CommitFenceParts {
  readonly statements: CommitStatements;
  readonly logRows: RunLogRows;
}

/** Creates the fence. It locks the runs, and keeps the worker from being fenced, until the transaction has ended. */
export function createCommitFence(database: Database, { statements, logRows }: CommitFenceParts) {
  const check = async (
    trx: WriteTransaction,
    changes: readonly RunChange[],
    workerId: string | undefined,
  ) => {
    const threads = unique(changes.filter(touchesThread).map((change) => change.threadId));
    const held = new Set(await statements.lockThreads(trx, threads));
    const isBlocked = (change: RunChange) => held.has(change.threadId) && touchesThread(change);
    const blocked = unique(changes.filter(isBlocked).map(({ runId }) => runId));
    const reported = unique(changes.filter((it) => !blocked.includes(it.runId)).map(({ runId }) => runId));
    const runs = new Map((await statements.readRuns(trx, reported)).map((row) => [row.run_id, row]));
    const current = changes.flatMap((change): FencedChange[] => {
      const run = runs.get(change.runId);
      const isSame = run?.attempt === change.attempt && run.thread_id === change.threadId;
      // An attempt that was handed back has the same number as the next one.
      const isOwned = workerId === undefined || run?.lease_owner === workerId;
      return run !== undefined && isSame && isOwned ? [{ ...change, ownerId: run.user_id }] : [];
    });
    const written = new Set(current.map(({ runId }) => runId));
    const outcome = { lost: reported.filter((runId) => !written.has(runId)), blocked };
    return { kind: 'open', current, outcome } as const;
  };

  return async (
    trx: WriteTransaction,
    changes: readonly RunChange[],
    log: LogFlush | undefined,
  ): Promise<Entered> => {
    const entered = await check(trx, changes, log?.workerId);
    if (log === undefined) return entered;
    const { outcome } = entered;
    // After the locks that may take long, because the lease is renewed in the same row.
    const { workerId, flush, after } = log;
    const isWhole = outcome.lost.length === 0 && outcome.blocked.length === 0;
    const lost = isWhole ? null : JSON.stringify(outcome);
    const counted = await database.run(trx, COUNT, { workerId, flush, after, lost });
    if (counted.length > 0) return entered;
    const [written] = await database.run(trx, WRITTEN, { workerId, flush });
    if (written !== undefined) return { kind: 'closed', outcome: outcomeOf(written.lost) };
    // A worker that is not fenced here had a commit acknowledged that the database has lost. The database
    // would never accept another commit from it.
    await fenceWorker(trx, logRows, workerId);
    const all = unique([...changes, ...log.pieces].map(({ runId }) => runId));
    return { kind: 'closed', outcome: { lost: all, blocked: [] } };
  };
}

function outcomeOf(text: string | null): CommitOutcome {
  return text === null ? NOTHING_LOST : storedOutcome.parse(JSON.parse(text));
}

const COUNT = (
  queries: Connection,
  { workerId, flush, after, lost }: { workerId: string; flush: number; after: number; lost: string | null },
) =>
  queries
    .updateTable('workers')
    .set({ flush, lost })
    .where('worker_id', '=', workerId)
    .where('fenced', '=', 0)
    .where('flush', '=', after)
    .returning('worker_id');

const WRITTEN = (queries: Connection, { workerId, flush }: { workerId: string; flush: number }) =>
  queries.selectFrom('workers').select('lost').where('worker_id', '=', workerId).where('flush', '=', flush);

/**
 * Whether the change needs the lock on the thread. Streamed events go to the run's own rows, so a long lock
 * on the thread does not delay them.
 */
function touchesThread(change: RunChange): boolean {
  const { events, checkpoints, revisions, repeated, backgroundTasks, run, thread } = change;
  const lists: readonly (readonly unknown[])[] = [events, checkpoints, revisions, repeated, backgroundTasks];
  return run !== undefined || thread !== undefined || lists.some((list) => list.length > 0);
}

/** Returns each id once, in an order that all writers share, so that they cannot deadlock. */
function unique(runIds: readonly string[]): readonly string[] {
  return [...new Set(runIds)].sort();
}
