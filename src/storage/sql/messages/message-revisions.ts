// Edits and removals of recorded messages. Listings and search follow the current version.
import { type RawBuilder, sql } from 'kysely';
import type { MessageRevision } from '../../run-events.ts';
import type { Read } from '../checkpoints/ancestor-walk.ts';
import { type BulkStatement, createBulkStatement, type SqlValue } from '../database/bulk-statement.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { LEFT_BEHIND, REMOVED, REPEATED } from '../database/message-marks.ts';
import { pagesOf } from '../database/page-of.ts';
import type { SearchEntries } from '../search/search-entries.ts';
import type { AppendRunEvents } from './append-run-events.ts';
import { messageIdIn, recordedMessages } from './recorded-messages.ts';
import { type PlacedRevision, placedRevisions, storedRevisions } from './stored-revisions.ts';
import { entriesOf, type Reading, TEXTS_AT_ONCE, unsettledMessages } from './unsettled-messages.ts';

/** Every method expects a transaction that has locked the thread. */
export interface MessageRevisions {
  /** Records how checkpoints on the lineage of the thread's head change existing messages. */
  record(trx: WriteTransaction, threadId: string, revisions: readonly MessageRevision[]): Promise<void>;
  /**
   * Records edits of located messages, which show them once the move takes effect. The search index has their
   * new text already.
   */
  recordEdits(trx: WriteTransaction, threadId: string, edits: readonly PlacedRevision[]): Promise<void>;
  /** Marks questions that the run has recorded as repeated, because the thread had them already. */
  repeat(trx: WriteTransaction, runId: string, messageIds: readonly string[]): Promise<void>;
  /**
   * Makes the messages read as on the lineage of this checkpoint. The cost grows with all revisions of the
   * thread.
   */
  settle(trx: WriteTransaction, threadId: string, headId: string | null): Promise<void>;
  /** Links imported revisions to their messages, and settles these. */
  adopt(trx: WriteTransaction, threadId: string, headId: string | null): Promise<void>;
}

/** Takes rows of the thread id, the `seq` of a revision event, and the `seq` of its message. */
export type SetRevises = BulkStatement<never>;

interface RevisionParts {
  readonly appendRunEvents: AppendRunEvents;
  readonly searchEntries: SearchEntries;
  readonly setRevises: SetRevises;
}

export function createMessageRevisions(database: Database, parts: RevisionParts): MessageRevisions {
  const { appendRunEvents, searchEntries, setRevises } = parts;
  const statements = createRevisionStatements(database);

  /** Records the revisions. Returns the messages and how they read from now on. */
  const append = async (trx: WriteTransaction, threadId: string, placed: readonly PlacedRevision[]) => {
    const last = await lastSeq(trx, threadId);
    const batches = placed.map(({ message, event }) => {
      return { threadId, runId: message.runId, userId: message.userId, events: [event] };
    });
    await appendRunEvents(trx, batches);
    const numbered = placed.map(({ message, event }, index) => {
      const isRemoved = event.eventType === 'message_removed';
      const seq = last + 1 + index;
      return { revisionSeq: seq, seq: message.seq, reading: { isRemoved, edit: isRemoved ? null : seq } };
    });
    const revised = numbered.map(({ revisionSeq, seq }) => [threadId, revisionSeq, seq]);
    await setRevises(trx, revised);
    // Of several revisions of one message, the last one applies.
    return [...new Map(numbered.map((revision) => [revision.seq, revision])).values()];
  };

  const settle: MessageRevisions['settle'] = async (trx, threadId, headId) => {
    for await (const page of unsettledMessages(within(trx), threadId, headId)) {
      const messages = page.map(({ seq, next }) => ({ seq, reading: next }));
      await statements.setReadings(trx, messages.map(rowIn(threadId)));
      await indexReadings(searchEntries, trx, { threadId, messages });
    }
  };

  return {
    settle,

    async record(trx, threadId, asked) {
      const placed = await placedRevisions(within(trx), { threadId, revisions: asked, marks: 'now' });
      if (placed.length === 0) return;
      await dropStaged(trx, threadId);
      const messages = await append(trx, threadId, placed);
      await statements.setReadings(trx, messages.map(rowIn(threadId)));
      await indexReadings(searchEntries, trx, { threadId, messages });
    },

    async recordEdits(trx, threadId, edits) {
      if (edits.length === 0) return;
      const messages = await append(trx, threadId, edits);
      await statements.setNextReadings(trx, messages.map(rowIn(threadId)));
    },

    async repeat(trx, runId, messageIds) {
      const ids = new Set(messageIds);
      const own = trx.selectFrom('run_events').select(['thread_id', 'seq', 'content']);
      const rows = await own.where('run_id', '=', runId).where('event_type', '=', 'human_message').execute();
      const repeated = rows.filter(({ content }) => ids.has(messageIdIn(content) ?? ''));
      const places = repeated.map(({ thread_id: threadId, seq }) => [threadId, seq]);
      await statements.setRepeated(trx, places);
    },

    async adopt(trx, threadId, headId) {
      const read = within(trx);
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

async function indexReadings(
  searchEntries: SearchEntries,
  trx: WriteTransaction,
  { threadId, messages }: { readonly threadId: string; readonly messages: readonly ReadingOf[] },
): Promise<void> {
  for (const some of pagesOf(messages, TEXTS_AT_ONCE))
    await searchEntries.setMessages(trx, await entriesOf(trx, threadId, some));
}

function within(trx: WriteTransaction): Read {
  return (query) => query(trx);
}

interface ReadingOf {
  readonly seq: number;
  readonly reading: Reading;
}

export function rowIn(threadId: string) {
  return ({ seq, reading }: ReadingOf): readonly SqlValue[] => {
    return [threadId, seq, reading.isRemoved ? REMOVED : 0, reading.edit];
  };
}

/** Links revision events to their messages, and takes these events out of the conversation. */
export function createSetRevises({ queries }: Database): SetRevises {
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

async function lastSeq(trx: WriteTransaction, threadId: string): Promise<number> {
  const thread = trx.selectFrom('threads').select('last_seq').where('thread_id', '=', threadId);
  return (await thread.executeTakeFirstOrThrow()).last_seq;
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
