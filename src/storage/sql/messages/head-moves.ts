// Moves of a thread's head, and changes of its messages: what becomes of the messages is written before and after the
// transaction that does it, some at a time, and takes effect in it with one row.
import type { HeadMove } from '../../run-commits.ts';
import type { MessageRevision } from '../../run-events.ts';
import { type Read, readsOf } from '../checkpoints/ancestor-walk.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { type Heads, partingOf } from './lineage-parting.ts';
import { MARKS_AT_ONCE, type StagedMessages } from './staged-messages.ts';
import { type PlacedRevision, placedRevisions } from './stored-revisions.ts';
import { TEXTS_AT_ONCE, unsettledMessages } from './unsettled-messages.ts';

/** The database is the one that the caller sees the thread in. */
export interface HeadMoves {
  /**
   * Writes down what the move makes of messages, beside what they are. `undefined` when it may not be made (any more), or
   * somebody else prepares a move of the thread.
   */
  prepare(database: Database, asked: AskedMove): Promise<PreparedMove | undefined>;
  /**
   * In the transaction that moves the head: what was prepared is what counts from its commit on. `false` when it was not
   * prepared, or something else since; nothing may be written then.
   */
  takeEffect(trx: WriteTransaction, heads: Heads, move: HeadMove | undefined): Promise<boolean>;
  /** Makes what counts what the messages are. Others may go on with it, and the thread moves again. */
  settle(database: Database, threadId: string): Promise<void>;
  /** Some of it, of whichever thread; `false` when no thread waits for it. */
  settleNext(): Promise<boolean>;
  /** All of it in one transaction that has locked the thread. */
  settleWithin(trx: WriteTransaction, threadId: string): Promise<void>;
}

interface AskedMove extends Heads {
  /** Names the move; of one that takes messages out, its checkpoint. */
  readonly token: string;
  /** Asked in a transaction that has locked the thread. */
  readonly mayMove: (trx: WriteTransaction) => Promise<boolean>;
  /** What the checkpoint that comes with the move does to messages. */
  readonly revisions: readonly MessageRevision[];
}

interface PreparedMove extends HeadMove {
  /** Still to be recorded, with the move. */
  readonly edits: readonly PlacedRevision[];
}

export function createHeadMoves(unscoped: Database, staged: StagedMessages): HeadMoves {
  const settlePage = (database: Database, threadId: string) =>
    database.write(async (trx) => {
      await lockedThread(database, trx, threadId);
      return settleSome(trx, threadId, staged);
    });

  const settle: HeadMoves['settle'] = async (database, threadId) => {
    if (!(await database.read((db) => isUnsettled(db, threadId)))) return;
    while (await settlePage(database, threadId));
  };

  return {
    settle,

    async prepare(database, asked) {
      try {
        return await stage({ database, staged, settle }, asked);
      } catch (error) {
        if (error instanceof OtherMove) return undefined;
        throw error;
      }
    },

    async takeEffect(trx, { threadId, fromId, toId }, move) {
      if (move?.fromId !== fromId || move.toId !== toId) return false;
      if (move.token === null) return true;
      const threads = trx.updateTable('threads').set({ line_moved: 1 }).where('thread_id', '=', threadId);
      const moved = await threads
        .where('line_move', '=', move.token)
        .returning('thread_id')
        .executeTakeFirst();
      return moved !== undefined;
    },

    settleNext: async () => {
      const thread = await unscoped.read((db) =>
        db.selectFrom('threads').select('thread_id').where('line_moved', '=', 1).limit(1).executeTakeFirst(),
      );
      if (thread === undefined) return false;
      await settlePage(unscoped, thread.thread_id);
      return true;
    },

    async settleWithin(trx, threadId) {
      while (await settleSome(trx, threadId, staged));
    },
  };
}

/** Another move of the thread was begun, or this one may not be made. */
class OtherMove extends Error {
  override readonly name = 'OtherMove';
}

interface StageParts extends Pick<HeadMoves, 'settle'> {
  readonly database: Database;
  readonly staged: StagedMessages;
}

async function stage({ database, staged, settle }: StageParts, asked: AskedMove): Promise<PreparedMove> {
  const { threadId, fromId, toId, token, revisions } = asked;
  const read = readsOf(database);
  const nothing = { fromId, toId, token: null, edits: [] };
  const isInPlace = fromId === toId;
  if (isInPlace && revisions.length === 0) return nothing;
  // Before anything is read: what was removed last may still stand beside.
  await settle(database, threadId);
  const inPlace = isInPlace ? await placedRevisions(read, { threadId, revisions, marks: 'now' }) : undefined;
  if (inPlace?.length === 0) return nothing;
  await begin(database, asked);
  const page: Page = (write) =>
    database.write(async (trx) => {
      const thread = await lockedThread(database, trx, threadId);
      if (thread?.line_move !== token || thread.line_moved === 1) throw new OtherMove();
      return write(trx);
    });
  while (await page((trx) => staged.clear(trx, threadId)));
  if (inPlace === undefined) await stageLineage({ read, page, staged }, asked);
  const placed = inPlace ?? (await placedRevisions(read, { threadId, revisions, marks: 'next' }));
  const edits = await stageRevisions({ page, staged }, threadId, placed);
  return { fromId, toId, token, edits };
}

/** A transaction in which the thread is still this move's. */
type Page = <T>(write: (trx: WriteTransaction) => Promise<T>) => Promise<T>;

interface StagePages {
  readonly page: Page;
  readonly staged: StagedMessages;
}

async function stageLineage(
  { read, page, staged }: StagePages & { readonly read: Read },
  heads: Heads,
): Promise<void> {
  const { threadId, toId } = heads;
  const { left, returned } = await partingOf(read, heads);
  for (const seqs of pagesOf(left, MARKS_AT_ONCE))
    await page((trx) => staged.stageLineage(trx, threadId, { seqs, isLeft: true }));
  for (const seqs of pagesOf(returned, MARKS_AT_ONCE))
    await page((trx) => staged.stageLineage(trx, threadId, { seqs, isLeft: false }));
  for await (const messages of unsettledMessages(read, threadId, toId)) {
    for (const some of pagesOf(messages, TEXTS_AT_ONCE))
      await page((trx) => staged.stageReadings(trx, threadId, some));
  }
}

/** The edits, which are left for the transaction: what they say is recorded there. */
async function stageRevisions(
  { page, staged }: StagePages,
  threadId: string,
  placed: readonly PlacedRevision[],
): Promise<readonly PlacedRevision[]> {
  const isRemoval = ({ event }: PlacedRevision) => event.eventType === 'message_removed';
  const removed = placed.filter(isRemoval).map(({ message }) => message.seq);
  for (const seqs of pagesOf(removed, MARKS_AT_ONCE))
    await page((trx) => staged.stageRemovals(trx, threadId, seqs));
  const edits = placed.filter((revision) => !isRemoval(revision));
  for (const some of pagesOf(edits, TEXTS_AT_ONCE))
    await page((trx) => staged.stageWords(trx, threadId, some));
  return edits;
}

/** The thread is this move's to prepare, until another one begins. */
async function begin(database: Database, { threadId, token, mayMove }: AskedMove): Promise<void> {
  await database.write(async (trx) => {
    const thread = await lockedThread(database, trx, threadId);
    if (thread === undefined || thread.line_moved === 1 || !(await mayMove(trx))) throw new OtherMove();
    await trx.updateTable('threads').set({ line_move: token }).where('thread_id', '=', threadId).execute();
  });
}

function lockedThread(database: Database, trx: WriteTransaction, threadId: string) {
  const threads = trx.selectFrom('threads').select(['line_move', 'line_moved']);
  return database.locked(threads.where('thread_id', '=', threadId)).executeTakeFirst();
}

async function isUnsettled(db: Connection, threadId: string): Promise<boolean> {
  const thread = db.selectFrom('threads').select('line_moved').where('thread_id', '=', threadId);
  return (await thread.executeTakeFirst())?.line_moved === 1;
}

/** `false` when nothing was left to do. */
async function settleSome(trx: WriteTransaction, threadId: string, staged: StagedMessages): Promise<boolean> {
  const threads = trx.selectFrom('threads').select(['line_move', 'line_moved']);
  const thread = await threads.where('thread_id', '=', threadId).executeTakeFirst();
  if (thread?.line_moved !== 1) return false;
  if (await staged.settle(trx, { threadId, checkpointId: thread.line_move })) return true;
  const settled = trx.updateTable('threads').set({ line_move: null, line_moved: 0 });
  await settled.where('thread_id', '=', threadId).execute();
  return false;
}

function* pagesOf<T>(items: readonly T[], atOnce: number): Generator<readonly T[]> {
  for (let first = 0; first < items.length; first += atOnce) yield items.slice(first, first + atOnce);
}
