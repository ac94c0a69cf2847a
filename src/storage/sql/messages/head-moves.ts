// Moves a thread's head and changes its messages. The effects on messages are written page by page before and
// after the transaction of the move, and take effect in it through one row.
import type { HeadMove } from '../../run-commits.ts';
import type { MessageRevision } from '../../run-events.ts';
import { type Read, readsOf } from '../checkpoints/ancestors.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { pagesOf } from '../database/page-of.ts';
import { type Heads, partingOf } from './lineage-parting.ts';
import { MARKS_AT_ONCE, type StagedMessages } from './staged-messages.ts';
import { type PlacedRevision, placedRevisions } from './stored-revisions.ts';
import { TEXTS_AT_ONCE, unsettledMessages } from './unsettled-messages.ts';

interface AskedMove extends Heads {
  /** Identifies the move. For a move that removes messages, the id of its checkpoint. */
  readonly token: string;
  /** Called in a transaction that has locked the thread. */
  readonly mayMove: (trx: WriteTransaction) => Promise<boolean>;
  /** Changes that the checkpoint of the move makes to messages. */
  readonly revisions: readonly MessageRevision[];
}

interface PreparedMove extends HeadMove {
  /** Edits to be recorded with the move. */
  readonly edits: readonly PlacedRevision[];
}

/** `database` is the one through which the caller sees the thread. */
export function createHeadMoves(unscoped: Database, staged: StagedMessages) {
  const settlePage = (database: Database, threadId: string) =>
    database.write(async (trx) => {
      await lockedThread(database, trx, threadId);
      return settleSome(trx, threadId, staged);
    });

  /**
   * Writes the effects of the last move to the messages. Other callers may continue it. Once it is done, the
   * thread can move again.
   */
  const settle = async (database: Database, threadId: string): Promise<void> => {
    const thread = await database.read((db) => lineMoveOf(db, threadId).executeTakeFirst());
    if (thread?.line_moved !== 1) return;
    while (await settlePage(database, threadId));
  };

  return {
    settle,

    /**
     * Stages the effects of the move beside the current values of the messages. Returns `undefined` when the
     * move is not allowed (any more), or another caller prepares a move of the thread.
     */
    async prepare(database: Database, asked: AskedMove): Promise<PreparedMove | undefined> {
      try {
        return await stage({ database, staged, settle }, asked);
      } catch (error) {
        if (error instanceof OtherMove) return undefined;
        throw error;
      }
    },

    /**
     * Activates the prepared move, in the transaction that moves the head. Returns `false` when this move was
     * not prepared, or another one was prepared since; the caller must then write nothing.
     */
    async takeEffect(
      trx: WriteTransaction,
      { threadId, fromId, toId }: Heads,
      move: HeadMove | undefined,
    ): Promise<boolean> {
      if (move?.fromId !== fromId || move.toId !== toId) return false;
      if (move.token === null) return true;
      const threads = trx.updateTable('threads').set({ line_moved: 1 }).where('thread_id', '=', threadId);
      const moved = await threads
        .where('line_move', '=', move.token)
        .returning('thread_id')
        .executeTakeFirst();
      return moved !== undefined;
    },

    /** Settles one page of any thread. Returns `false` when no thread waits. */
    settleNext: async (): Promise<boolean> => {
      const thread = await unscoped.read((db) =>
        db.selectFrom('threads').select('thread_id').where('line_moved', '=', 1).limit(1).executeTakeFirst(),
      );
      if (thread === undefined) return false;
      await settlePage(unscoped, thread.thread_id);
      return true;
    },

    /** Settles everything in one transaction that has locked the thread. */
    async settleWithin(trx: WriteTransaction, threadId: string): Promise<void> {
      while (await settleSome(trx, threadId, staged));
    },
  };
}

export type HeadMoves = ReturnType<typeof createHeadMoves>;

/** Thrown when another move of the thread was begun, or this one is not allowed. */
class OtherMove extends Error {
  override readonly name = 'OtherMove';
}

interface StageParts {
  readonly settle: HeadMoves['settle'];
  readonly database: Database;
  readonly staged: StagedMessages;
}

async function stage({ database, staged, settle }: StageParts, asked: AskedMove): Promise<PreparedMove> {
  const { threadId, fromId, toId, token, revisions } = asked;
  const read = readsOf(database);
  const nothing = { fromId, toId, token: null, edits: [] };
  const isInPlace = fromId === toId;
  if (isInPlace && revisions.length === 0) return nothing;
  // Settles before anything is read, because effects of the last move may still be staged.
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

/** Runs a transaction in which the thread still belongs to this move. */
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

/**
 * Stages the revisions. Returns the edits, because their contents are recorded in the transaction of the
 * move.
 */
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

/** Reserves the thread for this move, until another one begins. */
async function begin(database: Database, { threadId, token, mayMove }: AskedMove): Promise<void> {
  await database.write(async (trx) => {
    const thread = await lockedThread(database, trx, threadId);
    if (thread === undefined || thread.line_moved === 1 || !(await mayMove(trx))) throw new OtherMove();
    await trx.updateTable('threads').set({ line_move: token }).where('thread_id', '=', threadId).execute();
  });
}

function lineMoveOf(db: Connection, threadId: string) {
  return db.selectFrom('threads').select(['line_move', 'line_moved']).where('thread_id', '=', threadId);
}

function lockedThread(database: Database, trx: WriteTransaction, threadId: string) {
  return database.locked(lineMoveOf(trx, threadId)).executeTakeFirst();
}

/** Settles one page. Returns `false` when nothing remained to settle. */
async function settleSome(trx: WriteTransaction, threadId: string, staged: StagedMessages): Promise<boolean> {
  const thread = await lineMoveOf(trx, threadId).executeTakeFirst();
  if (thread?.line_moved !== 1) return false;
  if (await staged.settle(trx, { threadId, checkpointId: thread.line_move })) return true;
  const settled = trx.updateTable('threads').set({ line_move: null, line_moved: 0 });
  await settled.where('thread_id', '=', threadId).execute();
  return false;
}
