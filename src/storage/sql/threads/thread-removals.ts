// Deleted threads in SQL: the notes that deletions leave, and rows removed in pages of bounded size, each in a
// transaction of its own.

import { type RawBuilder, sql } from 'kysely';
import { conflict } from '../../../errors.ts';
import type { RemovedRows, ThreadRemoval, ThreadRemovals } from '../../threads.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { takeNotes } from '../database/due-notes.ts';
import { deletedOwner } from '../database/owner-filter.ts';
import { apply, isAny } from '../database/results.ts';
import { orphanTasks } from '../runs/background-tasks.ts';
import { type HandedOver, handOver, lockFamily, NOTHING_HANDED_OVER } from './thread-copies.ts';

export function createThreadRemovals(database: Database): ThreadRemovals {
  return {
    take: async (claim) => {
      const notes = { table: 'thread_removals', id: 'thread_id' } as const;
      const taken = await takeNotes<string | null>(database, notes, claim);
      const { takenUntil } = claim;
      return taken.map(({ id, user_id: userId }) => ({ threadId: id, userId, takenUntil }));
    },

    async *removeRows(removal, takenUntil) {
      let asked = { removal, takenUntil: takenUntil(), handedOver: NOTHING_HANDED_OVER };
      for (;;) {
        const page = await database.write((trx) => removePage(database, trx, asked));
        if (page.left === 'lost') throw conflict('Another process finishes the deletion.');
        const held = { ...removal, takenUntil: asked.takenUntil };
        if (page.left === 'none') await database.reclaimSpace();
        yield { removal: held, runIds: page.runIds, checkpointIds: page.checkpointIds };
        if (page.left === 'none') return;
        asked = { removal: held, takenUntil: takenUntil(), handedOver: page.handedOver };
      }
    },

    done: ({ threadId, takenUntil }) =>
      database.write((trx) => {
        const note = trx.deleteFrom('thread_removals').where('thread_id', '=', threadId);
        return apply(note.where('taken_until', '=', takenUntil));
      }),
  };
}

/** Makes the thread an absent row for everybody. What is found by more than its row goes at once: that is little. */
export async function hideThread(trx: WriteTransaction, threadId: string): Promise<void> {
  await trx.deleteFrom('thread_metadata').where('thread_id', '=', threadId).execute();
  await trx.deleteFrom('search_backlog').where('thread_id', '=', threadId).execute();
  await orphanTasks(trx, threadId);
  await trx
    .updateTable('threads')
    .set({ user_id: deletedOwner(threadId), temporary: 0, line_move: null, line_moved: 0 })
    .where('thread_id', '=', threadId)
    .execute();
}

/** What one transaction removes: rows, and bytes of their texts as they are stored unless one row alone has more. */
const ROWS_AT_ONCE = 200;
const BYTES_AT_ONCE = 1_000_000;
/** A run, its idempotency key, its webhook and its feedback. */
const ROWS_OF_RUN = 4;

interface Page extends RemovedRows {
  /** `lost`: somebody else has taken the removal on. */
  readonly left: 'some' | 'none' | 'lost';
  readonly handedOver: HandedOver;
}

interface AskedPage {
  readonly removal: ThreadRemoval;
  readonly takenUntil: number;
  /** What came of the pages before. */
  readonly handedOver: HandedOver;
}

const NOTHING = { runIds: [], checkpointIds: [] } as const;

/** Removes the next rows, in this order: what other rows refer to goes after them, and the thread at last. */
async function removePage(
  database: Database,
  trx: WriteTransaction,
  { removal, takenUntil, handedOver }: AskedPage,
): Promise<Page> {
  const { threadId } = removal;
  const family = await lockFamily(database, trx, threadId);
  if (!(await holdOn(trx, removal, takenUntil))) return { ...NOTHING, left: 'lost', handedOver };
  const thread = trx.selectFrom('threads').select('thread_id').where('thread_id', '=', threadId);
  const isHidden = await isAny(thread.where('user_id', '=', deletedOwner(threadId)));
  if (family === undefined || !isHidden) return { ...NOTHING, left: 'none', handedOver };
  const budget: PageBudget = { rows: ROWS_AT_ONCE, bytes: BYTES_AT_ONCE };
  const further = await handOver(trx, { threadId, family }, handedOver);
  if (further !== undefined) return { ...NOTHING, left: 'some', handedOver: further };
  for (const table of TABLES) await removeFrom(trx, { ...table, threadId }, budget);
  const checkpointIds = await removeFrom(trx, { ...CHECKPOINTS, threadId }, budget);
  const runIds = await removeRuns(trx, threadId, budget);
  const removed = { runIds, checkpointIds, handedOver };
  if (isFull(budget)) return { ...removed, left: 'some' };
  await trx.deleteFrom('threads').where('thread_id', '=', threadId).execute();
  return { ...removed, left: 'none' };
}

/** What the page may still remove. */
interface PageBudget {
  rows: number;
  bytes: number;
}

function isFull({ rows, bytes }: PageBudget): boolean {
  return rows < ROWS_OF_RUN || bytes <= 0;
}

/** The rows that there is room for, which is taken. Not all of them: there is no room any more. */
function fitting<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
  budget: PageBudget,
  rowsOfEach = 1,
): readonly Row[] {
  const fits: Row[] = [];
  for (const row of rows) {
    if (isFull(budget)) break;
    fits.push(row);
    budget.rows -= rowsOfEach;
    budget.bytes -= Number(row.bytes);
  }
  return fits;
}

function holdOn(trx: WriteTransaction, removal: ThreadRemoval, takenUntil: number): Promise<boolean> {
  const note = trx.updateTable('thread_removals').set({ taken_until: takenUntil });
  const mine = note.where('thread_id', '=', removal.threadId).where('taken_until', '=', removal.takenUntil);
  return isAny(mine.returning('thread_id'));
}

interface TableOfThread {
  readonly table: string;
  readonly key: string;
  /** What the texts of a row take; read from the head of the row alone. */
  readonly bytes: RawBuilder<number>;
}

const TABLES: readonly TableOfThread[] = [
  { table: 'search_docs', key: 'doc_id', bytes: sql`0` },
  { table: 'feedback', key: 'feedback_id', bytes: sql`coalesce(octet_length(comment), 0)` },
  {
    table: 'run_events',
    key: 'seq',
    bytes: sql`coalesce(octet_length(content), 0) + octet_length(metadata)`,
  },
  { table: 'trace_contents', key: 'content_key', bytes: sql`octet_length(content)` },
];

const CHECKPOINTS: TableOfThread = {
  table: 'checkpoints',
  key: 'checkpoint_id',
  bytes: sql`octet_length(delta) + coalesce(octet_length(snapshot), 0)`,
};

/** The keys of what was removed. */
async function removeFrom(
  trx: WriteTransaction,
  { table, key, bytes, threadId }: TableOfThread & { readonly threadId: string },
  budget: PageBudget,
): Promise<readonly string[]> {
  if (isFull(budget)) return [];
  const ofThread = sql`${sql.table(table)} where thread_id = ${threadId}`;
  const { rows } = await sql<{ key: string; bytes: number }>`
    select ${sql.ref(key)} as key, ${bytes} as bytes from ${ofThread} limit ${budget.rows}`.execute(trx);
  const keys = fitting(rows, budget).map((row) => row.key);
  if (keys.length === 0) return [];
  await sql`delete from ${ofThread} and ${sql.ref(key)} in (${sql.join(keys)})`.execute(trx);
  return keys;
}

/** Runs whose frames are gone, or go now; the ids of those. */
async function removeRuns(
  trx: WriteTransaction,
  threadId: string,
  budget: PageBudget,
): Promise<readonly string[]> {
  if (isFull(budget)) return [];
  const { rows } = await sql<{ run_id: string; bytes: number }>`
    select run_id, octet_length(kwargs) + octet_length(metadata) as bytes from runs where thread_id = ${threadId}
    order by created_at, run_id limit ${Math.floor(budget.rows / ROWS_OF_RUN)}`.execute(trx);
  const runIds = rows.map((row) => row.run_id);
  if (runIds.length === 0) return [];
  await removeFrames(trx, runIds, budget);
  const fits = fitting(rows, budget, ROWS_OF_RUN).map((row) => row.run_id);
  // Idempotency keys, calls to webhooks and reservations go with their run: their foreign keys cascade.
  if (fits.length > 0) await trx.deleteFrom('runs').where('run_id', 'in', fits).execute();
  return fits;
}

/** Leaves no room unless these are all that the runs have. */
async function removeFrames(
  trx: WriteTransaction,
  runIds: readonly string[],
  budget: PageBudget,
): Promise<void> {
  const { rows } = await sql<{ run_id: string; first_seq: number; bytes: number }>`
    select run_id, first_seq, octet_length(events) as bytes from run_frames where run_id in (${sql.join(runIds)})
    order by run_id, first_seq limit ${budget.rows}`.execute(trx);
  const last = fitting(rows, budget).at(-1);
  if (last === undefined) return;
  await sql`delete from run_frames where run_id in (${sql.join(runIds)})
    and (run_id, first_seq) <= (${last.run_id}, ${last.first_seq})`.execute(trx);
}
