// Edits and removals of recorded messages. Listings and search follow the current version.
import { type RawBuilder, sql } from 'kysely';
import type { MessageRevision, NewRunEvent } from '../../run-events.ts';
import { readsIn } from '../checkpoints/ancestors.ts';
import { type BulkStatement, createBulkStatement, type SqlValue } from '../database/bulk-statement.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { LEFT_BEHIND, REMOVED, REPEATED } from '../database/message-marks.ts';
import { pagesOf } from '../database/page-of.ts';
import type { SearchEntries } from '../search/search-entries.ts';
import type { AppendRunEvents } from './append-run-events.ts';
import { messageIdIn, type RecordedMessage, recordedMessages } from './recorded-messages.ts';
import { type PlacedRevision, placedRevisions, storedRevisions } from './stored-revisions.ts';
import { entriesOf, type Reading, TEXTS_AT_ONCE, unsettledMessages } from './unsettled-messages.ts';

/** Records revisions with the runs of their messages. Returns the `seq` of each, in order. */
export type AppendRevisions = (
  trx: WriteTransaction,
  threadId: string,
  revisions: readonly AppendedRevision[],
) => Promise<readonly number[]>;

interface AppendedRevision {
  readonly message: Pick<RecordedMessage, 'seq' | 'runId' | 'userId'>;
  readonly event: NewRunEvent;
}

export function createAppendRevisions(database: Database, appendRunEvents: AppendRunEvents): AppendRevisions {
  const setRevises = createSetRevises(database);
  return async (trx, threadId, revisions) => {
    const batches = revisions.map(({ message: { runId, userId }, event }) => {
      return { threadId, runId, userId, events: [event] };
    });
    const seqs = await appendRunEvents(trx, batches);
    const revised = revisions.map(({ message }, index) => [threadId, seqs[index] ?? null, message.seq]);
    await setRevises(trx, revised);
    return seqs;
  };
}

interface RevisionParts {
  readonly appendRevisions: AppendRevisions;
  readonly searchEntries: SearchEntries;
}

/** Every method expects a transaction that has locked the thread. */
export function createMessageRevisions(database: Database, parts: RevisionParts) {
  const { appendRevisions, searchEntries } = parts;
  const setRevises = createSetRevises(database);
  const statements = createRevisionStatements(database);

  /** Records the revisions. Returns the messages and how they read from now on. */
  const append = async (trx: WriteTransaction, threadId: string, placed: readonly PlacedRevision[]) => {
    const seqs = await appendRevisions(trx, threadId, placed);
    const readings = placed.map(({ message: { seq }, event }, index) => {
      const isRemoved = event.eventType === 'message_removed';
      return { seq, reading: { isRemoved, edit: isRemoved ? null : (seqs[index] ?? null) } };
    });
    // Of several revisions of one message, the last one applies.
    return [...new Map(readings.map((reading) => [reading.seq, reading])).values()];
  };

  /** Sets how the messages read, and makes the search find them by it. */
  const setReadings = async (trx: WriteTransaction, threadId: string, messages: readonly ReadingOf[]) => {
    await statements.setReadings(trx, messages.map(rowIn(threadId)));
    for (const some of pagesOf(messages, TEXTS_AT_ONCE))
      await searchEntries.setMessages(trx, await entriesOf(trx, threadId, some));
  };

  /**
   * Makes the messages read as on the lineage of this checkpoint. The cost grows with all revisions of the
   * thread.
   */
  const settle = async (trx: WriteTransaction, threadId: string, headId: string | null): Promise<void> => {
    for await (const page of unsettledMessages(readsIn(trx), threadId, headId)) {
      const messages = page.map(({ seq, next }) => ({ seq, reading: next }));
      await setReadings(trx, threadId, messages);
    }
  };

  return {
    settle,

    /** Records how checkpoints on the lineage of the thread's head change existing messages. */
    async record(trx: WriteTransaction, threadId: string, asked: readonly MessageRevision[]): Promise<void> {
      const placed = await placedRevisions(readsIn(trx), { threadId, revisions: asked, marks: 'now' });
      if (placed.length === 0) return;
      await dropStaged(trx, threadId);
      await setReadings(trx, threadId, await append(trx, threadId, placed));
    },

    /**
     * Records edits of located messages, which show them once the move takes effect. The search index has their
     * new text already.
     */
    async recordEdits(
      trx: WriteTransaction,
      threadId: string,
      edits: readonly PlacedRevision[],
    ): Promise<void> {
      if (edits.length === 0) return;
      const messages = await append(trx, threadId, edits);
      await statements.setNextReadings(trx, messages.map(rowIn(threadId)));
    },

    /** Marks questions that the run has recorded as repeated, because the thread had them already. */
    async repeat(trx: WriteTransaction, runId: string, messageIds: readonly string[]): Promise<void> {
      const ids = new Set(messageIds);
      const own = trx.selectFrom('run_events').select(['thread_id', 'seq', 'content']);
      const rows = await own.where('run_id', '=', runId).where('event_type', '=', 'human_message').execute();
      const repeated = rows.filter(({ content }) => ids.has(messageIdIn(content) ?? ''));
      const places = repeated.map(({ thread_id: threadId, seq }) => [threadId, seq]);
      await statements.setRepeated(trx, places);
    },

    /** Links imported revisions to their messages, and settles these. */
    async adopt(trx: WriteTransaction, threadId: string, headId: string | null): Promise<void> {
      const read = readsIn(trx);
      let open = (await storedRevisions(read, threadId)).filter(({ revises }) => revises === null);
      if (open.length === 0) return;
      const found: (readonly SqlValue[])[] = [];
      for await (const message of recordedMessages(read, threadId)) {
        const isOf = ({ messageId, seq }: (typeof open)[number]) =>
          messageId === message.messageId && seq > message.seq;
        found.push(...open.filter(isOf).map(({ seq }) => [threadId, seq, message.seq]));
        open = open.filter((revision) => !isOf(revision));
        if (open.length === 0) break;
      }
      await setRevises(trx, found);
      await settle(trx, threadId, headId);
    },
  };
}

export type MessageRevisions = ReturnType<typeof createMessageRevisions>;

interface ReadingOf {
  readonly seq: number;
  readonly reading: Reading;
}

export function rowIn(threadId: string) {
  return ({ seq, reading }: ReadingOf): readonly SqlValue[] => {
    return [threadId, seq, reading.isRemoved ? REMOVED : 0, reading.edit];
  };
}

/**
 * Links revision events to their messages, and takes these events out of the conversation. Takes rows of the
 * thread id, the `seq` of the event, and the `seq` of its message.
 */
function createSetRevises({ queries }: Database): BulkStatement<never> {
  return createBulkStatement(
    queries,
    sql`(cast(${null} as text), cast(${null} as bigint), cast(${null} as bigint))`,
    (rows) => sql<never>`
      with told (id, at, message) as (values ${rows})
      update run_events set is_replaced = ${sql.lit(LEFT_BEHIND)}, revises = message
      from told where thread_id = id and seq = at`,
  );
}

/** Takes rows of the thread id, the `seq` of a message, `REMOVED` or 0, and the `seq` of its edit. */
function createSetReadings(queries: Connection, set: RawBuilder<unknown>): BulkStatement<never> {
  return createBulkStatement(
    queries,
    sql`(cast(${null} as text), cast(${null} as bigint), cast(${null} as bigint), cast(${null} as bigint))`,
    (rows) => sql<never>`
      with said (id, at, removed, edit) as (values ${rows})
      update run_events set ${set} from said where thread_id = id and seq = at`,
  );
}

const KEPT = sql.lit(LEFT_BEHIND | REPEATED);

/** Sets how messages read once the move of the lineage takes effect. */
export function createSetNextReadings({ queries }: Database): BulkStatement<never> {
  return createSetReadings(
    queries,
    sql`next_replaced = (coalesce(next_replaced, is_replaced) & ${KEPT}) + removed, next_revised_by = edit`,
  );
}

function createRevisionStatements(database: Database) {
  const { queries } = database;
  return {
    /** Sets how messages read, both now and after a move of the lineage that is being prepared. */
    setReadings: createSetReadings(
      queries,
      sql`
        is_replaced = (is_replaced & ${KEPT}) + removed,
        revised_by = edit,
        next_replaced = (next_replaced & ${KEPT}) + removed,
        next_revised_by = case when next_replaced is null then null else edit end`,
    ),
    setNextReadings: createSetNextReadings(database),
    setRepeated: createBulkStatement(
      queries,
      sql`(cast(${null} as text), cast(${null} as bigint))`,
      (rows) => sql<never>`
        update run_events set is_replaced = is_replaced | ${sql.lit(REPEATED)}
        where (thread_id, seq) in (values ${rows})`,
    ),
  };
}

/**
 * Invalidates a move that is being prepared. Its preparation must start again, and clears what was staged.
 */
async function dropStaged(trx: WriteTransaction, threadId: string): Promise<void> {
  const threads = trx.updateTable('threads').set({ line_move: NOBODYS }).where('thread_id', '=', threadId);
  await threads.where('line_moved', '=', 0).where('line_move', 'is not', null).execute();
}

/** The token of no move. */
const NOBODYS = '';
