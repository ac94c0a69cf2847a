// Stages changes of messages beside their current values, in `next_replaced` and `next_revised_by`.
import { type RawBuilder, sql } from 'kysely';
import type { Database, WriteTransaction } from '../database/database.ts';
import { LEFT_BEHIND, REMOVED, REPEATED, UNLOGGED } from '../database/message-marks.ts';
import type { RunEventsTable } from '../database/run-tables.ts';
import type { SearchEntries } from '../search/search-entries.ts';
import { type AppendRevisions, createSetNextReadings, rowIn } from './message-revisions.ts';
import { messageIdIn } from './recorded-messages.ts';
import type { PlacedRevision } from './stored-revisions.ts';
import {
  entriesOf,
  flagsOf,
  isSame,
  type ReadMessage,
  readingOf,
  TEXTS_AT_ONCE,
  textOf,
} from './unsettled-messages.ts';

/**
 * Each call writes a limited number of messages: hundreds of marks, or tens of texts. Every method expects a
 * transaction that has locked the thread.
 */
export interface StagedMessages {
  /** Clears a page of staged changes that never took effect. Returns whether more may remain. */
  clear(trx: WriteTransaction, threadId: string): Promise<boolean>;
  /** Stages messages that leave with the old lineage, or return with the new one. */
  stageLineage(trx: WriteTransaction, threadId: string, line: StagedLineage): Promise<void>;
  /** Stages messages that read differently on the new lineage. */
  stageReadings(trx: WriteTransaction, threadId: string, messages: readonly ReadMessage[]): Promise<void>;
  /** Stages removals. Their events are recorded later. */
  stageRemovals(trx: WriteTransaction, threadId: string, seqs: readonly number[]): Promise<void>;
  /** Makes the search find the messages by their new text, too. */
  stageWords(trx: WriteTransaction, threadId: string, edits: readonly PlacedRevision[]): Promise<void>;
  /** Applies the next page of staged marks and texts to the messages. Returns `false` when none remains. */
  settle(trx: WriteTransaction, thread: UnsettledThread): Promise<boolean>;
}

interface StagedLineage {
  readonly seqs: readonly number[];
  readonly isLeft: boolean;
}

interface UnsettledThread {
  readonly threadId: string;
  /** The checkpoint that removed messages. */
  readonly checkpointId: string | null;
}

interface StagedParts {
  readonly searchEntries: SearchEntries;
  readonly appendRevisions: AppendRevisions;
}

export const MARKS_AT_ONCE = 250;

const KNOWN_BITS = LEFT_BEHIND | REMOVED | REPEATED;

/** Keeps marks that were staged before for another reason. */
function nextMark(kept: number, added: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(coalesce(next_replaced, is_replaced) & ${sql.lit(kept)}) + ${added}`;
}

export function createStagedMessages(database: Database, parts: StagedParts): StagedMessages {
  const { searchEntries } = parts;
  const setReadings = createSetNextReadings(database);
  return {
    async clear(trx, threadId) {
      const page = stagedPage(trx, threadId).select('seq');
      const cleared = eventsOf(trx, threadId).set({ next_replaced: null, next_revised_by: null });
      const { numUpdatedRows } = await cleared.where('seq', 'in', page).executeTakeFirst();
      return Number(numUpdatedRows) === MARKS_AT_ONCE;
    },

    async stageLineage(trx, threadId, { seqs, isLeft }) {
      const left = eventsOf(trx, threadId).set({
        next_replaced: nextMark(REMOVED | REPEATED, sql.lit(isLeft ? LEFT_BEHIND : 0)),
        next_revised_by: sql`case when next_replaced is null then revised_by else next_revised_by end`,
      });
      await left.where('seq', 'in', seqs).execute();
    },

    async stageReadings(trx, threadId, messages) {
      const read = messages.map(({ seq, next }) => ({ seq, reading: next }));
      await setReadings(trx, read.map(rowIn(threadId)));
      const either = messages.map(({ seq, now, next }) => ({ seq, reading: now, orReading: next }));
      await searchEntries.setMessages(trx, await entriesOf(trx, threadId, either));
    },

    async stageRemovals(trx, threadId, seqs) {
      const removed = eventsOf(trx, threadId).set({
        next_replaced: nextMark(LEFT_BEHIND | REPEATED, sql.lit(REMOVED | UNLOGGED)),
        next_revised_by: null,
      });
      await removed.where('seq', 'in', seqs).execute();
    },

    async stageWords(trx, threadId, edits) {
      const texts = new Map(
        edits.map((it) => [it.message.seq, textOf(it.message.eventType, it.event.content)]),
      );
      const flags = await flagsOf(trx, threadId, [...texts.keys()]);
      const read = flags.map((row) => ({
        seq: row.seq,
        reading: readingOf(row.is_replaced, row.revised_by),
      }));
      const entries = await entriesOf(trx, threadId, read);
      const either = entries.map((entry) => ({ ...entry, orText: texts.get(entry.seq) ?? '' }));
      await searchEntries.setMessages(trx, either);
    },

    async settle(trx, thread) {
      const page = await nextPage(trx, thread.threadId);
      const [first, last] = [page.at(0), page.at(-1)];
      if (first === undefined || last === undefined) return false;
      const rewritten = page.filter(isRewritten);
      await logRemovals(trx, parts, { ...thread, seqs: rewritten.filter(isUnlogged).map(({ seq }) => seq) });
      await eventsOf(trx, thread.threadId)
        .set({
          is_replaced: sql`next_replaced & ${sql.lit(KNOWN_BITS)}`,
          revised_by: sql`next_revised_by`,
          next_replaced: null,
          next_revised_by: null,
        })
        .where('seq', '>=', first.seq)
        .where('seq', '<=', last.seq)
        .where('next_replaced', 'is not', null)
        .execute();
      const read = rewritten.map((row) => ({ seq: row.seq, reading: nextReading(row) }));
      await searchEntries.setMessages(trx, await entriesOf(trx, thread.threadId, read));
      return true;
    },
  };
}

function eventsOf(trx: WriteTransaction, threadId: string) {
  return trx.updateTable('run_events').where('thread_id', '=', threadId);
}

/** Selects the first staged messages in order. */
function stagedPage(trx: WriteTransaction, threadId: string) {
  const staged = trx.selectFrom('run_events').where('thread_id', '=', threadId);
  return staged.where('next_replaced', 'is not', null).orderBy('seq').limit(MARKS_AT_ONCE);
}

type StagedRow = Pick<RunEventsTable, 'seq' | 'revised_by' | 'next_replaced' | 'next_revised_by'> & {
  readonly is_replaced: number;
};

function nextReading({ next_replaced: mark, next_revised_by: edit }: StagedRow) {
  return readingOf(mark ?? 0, edit);
}

function isUnlogged({ next_replaced: mark }: StagedRow): boolean {
  return ((mark ?? 0) & UNLOGGED) !== 0;
}

/** True when the text of the message must be read. */
function isRewritten(row: StagedRow): boolean {
  return isUnlogged(row) || !isSame(readingOf(row.is_replaced, row.revised_by), nextReading(row));
}

/** Returns the first staged messages in order, with no more texts than one transaction reads. */
async function nextPage(trx: WriteTransaction, threadId: string): Promise<readonly StagedRow[]> {
  const rows = await stagedPage(trx, threadId)
    .select(['seq', 'is_replaced', 'revised_by', 'next_replaced', 'next_revised_by'])
    .execute();
  const beyond = rows.filter(isRewritten).at(TEXTS_AT_ONCE);
  return beyond === undefined ? rows : rows.slice(0, rows.indexOf(beyond));
}

interface LoggedRemovals extends UnsettledThread {
  readonly seqs: readonly number[];
}

/** Records each removal with the run of its message. */
async function logRemovals(
  trx: WriteTransaction,
  { appendRevisions }: StagedParts,
  { threadId, checkpointId, seqs }: LoggedRemovals,
): Promise<void> {
  if (seqs.length === 0 || checkpointId === null) return;
  const checkpoints = trx.selectFrom('checkpoints').select('created_at');
  const checkpoint = await checkpoints.where('checkpoint_id', '=', checkpointId).executeTakeFirstOrThrow();
  const messages = await trx
    .selectFrom('run_events')
    .select(['seq', 'run_id as runId', 'user_id as userId', 'content'])
    .where('thread_id', '=', threadId)
    .where('seq', 'in', seqs)
    .orderBy('seq')
    .execute();
  const removals = messages.map(({ content, ...message }) => {
    const event = removalOf(messageIdIn(content) ?? '', checkpointId, checkpoint.created_at);
    return { message, event };
  });
  await appendRevisions(trx, threadId, removals);
}

function removalOf(messageId: string, checkpointId: string, createdAt: number) {
  const metadata = { message_id: messageId, checkpoint_id: checkpointId };
  return { eventType: 'message_removed', category: 'message', content: '', metadata, createdAt } as const;
}
