// Messages that are said anew or taken out after they were recorded: the listings and the search follow what stands.
import { type RawBuilder, sql } from 'kysely';
import type { MessageRevision } from '../../run-events.ts';
import type { Read } from '../checkpoints/ancestor-walk.ts';
import { type BulkStatement, createBulkStatement, type SqlValue } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { parseJson } from '../database/json-column.ts';
import { LEFT_BEHIND, REMOVED, REPEATED } from '../database/message-marks.ts';
import { unpackText } from '../database/packed-text.ts';
import type { SearchEntries } from '../search/search-entries.ts';
import type { AppendRunEvents } from './append-run-events.ts';
import { messageIdOf, recordedMessages } from './recorded-messages.ts';
import { type PlacedRevision, placedRevisions, storedRevisions } from './stored-revisions.ts';
import { entriesOf, type Reading, TEXTS_AT_ONCE, unsettledMessages } from './unsettled-messages.ts';

/** All of it in a transaction that has locked the thread. */
export interface MessageRevisions {
  /** What checkpoints on the line to the thread's head do to messages that were there. */
  record(trx: WriteTransaction, threadId: string, revisions: readonly MessageRevision[]): Promise<void>;
  /** The same of messages that were found before, and that a search finds already by their new words. */
  recordEdits(trx: WriteTransaction, threadId: string, edits: readonly PlacedRevision[]): Promise<void>;
  /** Questions that the run has recorded were there already. */
  repeat(trx: WriteTransaction, runId: string, messageIds: readonly string[]): Promise<void>;
  /** What the line to this checkpoint says is what counts. Costs what was ever revised on the thread. */
  settle(trx: WriteTransaction, threadId: string, headId: string | null): Promise<void>;
  /** Finds the messages that imported revisions are of, and settles them. */
  adopt(trx: WriteTransaction, threadId: string, headId: string | null): Promise<void>;
}

/** Rows of the thread, the `seq` of an event that tells of a message, and that of the message. */
export type SetRevises = BulkStatement<never>;

interface RevisionParts {
  readonly appendRunEvents: AppendRunEvents;
  readonly searchEntries: SearchEntries;
  readonly setRevises: SetRevises;
}

export function createMessageRevisions(database: Database, parts: RevisionParts): MessageRevisions {
  const { appendRunEvents, searchEntries, setRevises } = parts;
  const statements = createRevisionStatements(database);

  /** The messages and how they read from now on. */
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
    await setRevises(
      trx,
      numbered.map(({ revisionSeq, seq }) => [threadId, revisionSeq, seq]),
    );
    // What is said twice of a message at once: the last of it stands.
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
      const repeated = rows.filter(({ content }) =>
        ids.has(messageIdOf(parseJson(unpackText(content ?? 'null'))) ?? ''),
      );
      await statements.setRepeated(
        trx,
        repeated.map(({ thread_id: threadId, seq }) => [threadId, seq]),
      );
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
  for (let first = 0; first < messages.length; first += TEXTS_AT_ONCE) {
    const some = messages.slice(first, first + TEXTS_AT_ONCE);
    await searchEntries.setMessages(trx, await entriesOf(trx, threadId, some));
  }
}

function within(trx: WriteTransaction): Read {
  return (query) => query(trx);
}

interface ReadingOf {
  readonly seq: number;
  readonly reading: Reading;
}

function rowIn(threadId: string) {
  return ({ seq, reading }: ReadingOf): readonly SqlValue[] => {
    return [threadId, seq, reading.isRemoved ? REMOVED : 0, reading.edit];
  };
}

/** What tells of a message is no message of the conversation itself. */
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

function createRevisionStatements({ queries }: Database) {
  const setReadings = (set: RawBuilder<unknown>) =>
    createBulkStatement(
      queries,
      sql`(cast(${null} as text), cast(${null} as bigint), cast(${null} as bigint), cast(${null} as bigint))`,
      (rows) => sql<never>`
        with said (id, at, removed, edit) as (values ${rows})
        update run_events set ${set} from said where thread_id = id and seq = at`,
    );
  const kept = sql.lit(LEFT_BEHIND | REPEATED);
  return {
    /** Whatever a move of the line makes of the messages, this is how they read. */
    setReadings: setReadings(sql`
      is_replaced = (is_replaced & ${kept}) + removed,
      revised_by = edit,
      next_replaced = (next_replaced & ${kept}) + removed,
      next_revised_by = case when next_replaced is null then null else edit end`),
    setNextReadings: setReadings(sql`
      next_replaced = (coalesce(next_replaced, is_replaced) & ${kept}) + removed,
      next_revised_by = edit`),
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

/** The results of preparing a move are no longer valid; its preparation has to start again and finds it staged. */
async function dropStaged(trx: WriteTransaction, threadId: string): Promise<void> {
  const threads = trx.updateTable('threads').set({ line_move: NOBODYS }).where('thread_id', '=', threadId);
  await threads.where('line_moved', '=', 0).where('line_move', 'is not', null).execute();
}

/** Names no move. */
const NOBODYS = '';
