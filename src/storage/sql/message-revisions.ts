// Messages that are said anew or taken out after they were recorded: the listings and the search follow what stands.
import { sql } from 'kysely';
import type { Json } from '../../messages/message.ts';
import type { MessageRevision } from '../run-events.ts';
import type { AppendRunEvents } from './append-run-events.ts';
import { createBulkStatement, type SqlValue } from './bulk-statement.ts';
import type { Database, WriteTransaction } from './database.ts';
import { isHiddenOwner } from './hidden-owner.ts';
import { parseJson } from './json-column.ts';
import { LEFT_BEHIND, REMOVED, REPEATED } from './message-marks.ts';
import { unpackText } from './packed-text.ts';
import { messageIdOf, type RecordedMessage, recordedMessages } from './recorded-messages.ts';
import type { SearchEntries } from './search-entries.ts';
import { searchableMessage } from './searchable-message.ts';
import { standingRevisions, storedRevisions } from './stored-revisions.ts';

/** All of it in a transaction that has locked the thread. */
export interface MessageRevisions {
  /** What checkpoints on the line to the thread's head do to messages that were there. */
  record(trx: WriteTransaction, threadId: string, revisions: readonly MessageRevision[]): Promise<void>;
  /** Questions that the run has recorded were there already. */
  repeat(trx: WriteTransaction, runId: string, messageIds: readonly string[]): Promise<void>;
  /** The thread stands elsewhere: what the line to this checkpoint says is what counts. */
  settle(trx: WriteTransaction, threadId: string, headId: string | null): Promise<void>;
  /** Finds the messages that imported revisions are of, and settles them. */
  adopt(trx: WriteTransaction, threadId: string, headId: string | null): Promise<void>;
}

interface RevisionParts {
  readonly appendRunEvents: AppendRunEvents;
  readonly searchEntries: SearchEntries;
}

export function createMessageRevisions(database: Database, parts: RevisionParts): MessageRevisions {
  const { appendRunEvents, searchEntries } = parts;
  const statements = createRevisionStatements(database);

  const apply = createApply(statements, searchEntries);
  const settle = createSettle(apply);
  return {
    settle,

    async record(trx, threadId, asked) {
      const counted = await countedRevisions(trx, threadId, asked);
      if (counted.length === 0) return;
      const { user_id: userId, last_seq: last } = await threadRow(trx, threadId);
      const batches = counted.map(({ message, event }) => {
        return { threadId, runId: message.runId, userId: message.userId, events: [event] };
      });
      await appendRunEvents(trx, batches);
      const revisions = counted.map(({ message, event }, index) => {
        return { message, standing: { ...event, seq: last + 1 + index } };
      });
      await statements.setRevises(
        trx,
        revisions.map(({ message, standing }) => [threadId, standing.seq, message.seq]),
      );
      // What is said twice of a message at once: the last of it stands.
      const latest = new Map(revisions.map((revision) => [revision.message.seq, revision]));
      await apply(
        trx,
        [...latest.values()].map(({ message, standing }) => ({ ...message, threadId, userId, standing })),
      );
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
      let open = (await storedRevisions(trx, threadId)).filter(({ revises }) => revises === null);
      if (open.length === 0) return;
      const found: (readonly SqlValue[])[] = [];
      for await (const message of recordedMessages(trx, threadId)) {
        const isOf = ({ messageId, seq }: (typeof open)[number]) =>
          messageId === message.messageId && seq > message.seq;
        found.push(...open.filter(isOf).map(({ seq }) => [threadId, seq, message.seq]));
        open = open.filter((revision) => !isOf(revision));
        if (open.length === 0) break;
      }
      await statements.setRevises(trx, found);
      await settle(trx, threadId, headId);
    },
  };
}

type Apply = (trx: WriteTransaction, messages: readonly RevisedMessage[]) => Promise<void>;

/** What listings show of messages, and what the search finds of them. */
function createApply(statements: RevisionStatements, searchEntries: SearchEntries): Apply {
  return async (trx: WriteTransaction, messages: readonly RevisedMessage[]) => {
    await statements.setStanding(
      trx,
      messages.map(({ threadId, seq, standing }) => [
        threadId,
        seq,
        isRemoval(standing) ? REMOVED : 0,
        editOf(standing)?.seq ?? null,
      ]),
    );
    await searchEntries.setMessages(
      trx,
      messages.map(({ threadId, seq, userId, eventType, content, standing }) => {
        const said = editOf(standing)?.content ?? content;
        const found = isRemoval(standing) ? undefined : searchableMessage(eventType, said);
        return { threadId, seq, userId, text: found?.text ?? '' };
      }),
    );
  };
}

function createSettle(apply: Apply): MessageRevisions['settle'] {
  return async (trx, threadId, headId) => {
    const revisions = await storedRevisions(trx, threadId);
    if (revisions.length === 0) return;
    const { user_id: threadUserId } = await threadRow(trx, threadId);
    for (const page of pages([...(await standingRevisions(trx, revisions, headId))])) {
      const messages = await readEvents(
        trx,
        threadId,
        page.map(([seq]) => seq),
      );
      const open = page.flatMap(([seq, revision]) => {
        const message = messages.get(seq);
        return message === undefined || isSettled(message, revision) ? [] : [{ message, revision }];
      });
      const says = await readEvents(
        trx,
        threadId,
        open.flatMap(({ revision }) => revision?.seq ?? []),
      );
      await apply(
        trx,
        open.map(({ message, revision }) => {
          const userId = isHiddenOwner(threadUserId) ? message.userId : threadUserId;
          return { ...message, threadId, userId, standing: revision && says.get(revision.seq) };
        }),
      );
    }
  };
}

type RevisionStatements = ReturnType<typeof createRevisionStatements>;

function createRevisionStatements({ queries }: Database) {
  return {
    /** How a message reads now: what takes it out, and the `seq` of what is said in its place. */
    setStanding: createBulkStatement(
      queries,
      sql`(cast(${null} as text), cast(${null} as bigint), cast(${null} as bigint), cast(${null} as bigint))`,
      (rows) => sql<never>`
        with said (id, at, removed, edit) as (values ${rows})
        update run_events
        set is_replaced = (is_replaced & ${sql.lit(LEFT_BEHIND | REPEATED)}) + removed, revised_by = edit
        from said where thread_id = id and seq = at`,
    ),
    /** What tells of a message is no message of the conversation itself. */
    setRevises: createBulkStatement(
      queries,
      sql`(cast(${null} as text), cast(${null} as bigint), cast(${null} as bigint))`,
      (rows) => sql<never>`
        with told (id, at, message) as (values ${rows})
        update run_events set is_replaced = ${sql.lit(LEFT_BEHIND)}, revises = message
        from told where thread_id = id and seq = at`,
    ),
    setRepeated: createBulkStatement(
      queries,
      sql`(cast(${null} as text), cast(${null} as bigint))`,
      (rows) => sql<never>`
        update run_events set is_replaced = is_replaced | ${sql.lit(REPEATED)}
        where (thread_id, seq) in (values ${rows})`,
    ),
  };
}

interface OwnedMessage extends Pick<RecordedMessage, 'seq' | 'eventType' | 'content'> {
  readonly threadId: string;
  /** Of the thread; of the event while it is being imported. */
  readonly userId: string | null;
}

interface Standing {
  readonly seq: number;
  readonly eventType: string;
  readonly content: Json;
}

interface RevisedMessage extends OwnedMessage {
  /** What says how the message reads; `undefined`: it reads as it was recorded. */
  readonly standing: Standing | undefined;
}

function isRemoval(revision: Pick<Standing, 'eventType'> | undefined): boolean {
  return revision?.eventType === 'message_removed';
}

function editOf<T extends Pick<Standing, 'eventType'>>(revision: T | undefined): T | undefined {
  return isRemoval(revision) ? undefined : revision;
}

function isSettled(
  { revisedBy, isReplaced }: Pick<RecordedMessage, 'revisedBy' | 'isReplaced'>,
  revision: Pick<Standing, 'seq' | 'eventType'> | undefined,
): boolean {
  const removed = isRemoval(revision) ? REMOVED : 0;
  return revisedBy === (editOf(revision)?.seq ?? null) && (isReplaced & REMOVED) === removed;
}

interface CountedRevision extends MessageRevision {
  readonly message: RecordedMessage;
}

/** Those of messages that a run has recorded and that are on the line; returns of those that were removed. */
async function countedRevisions(
  trx: WriteTransaction,
  threadId: string,
  asked: readonly MessageRevision[],
): Promise<readonly CountedRevision[]> {
  const wanted = asked.some(({ isReturn }) => isReturn) ? await possible(trx, threadId, asked) : asked;
  const open = new Set(wanted.map(({ messageId }) => messageId));
  if (open.size === 0) return [];
  const found = new Map<string, RecordedMessage>();
  for await (const message of recordedMessages(trx, threadId)) {
    const isOnLine = (message.isReplaced & (LEFT_BEHIND | REPEATED)) === 0;
    if (isOnLine && open.delete(message.messageId)) found.set(message.messageId, message);
    if (open.size === 0) break;
  }
  return wanted.flatMap((revision) => {
    const message = found.get(revision.messageId);
    if (message === undefined) return [];
    const isCounted = !revision.isReturn || (message.isReplaced & REMOVED) !== 0;
    return isCounted ? [{ ...revision, message }] : [];
  });
}

/** Without returns of what was never removed: those would be looked for in vain, through the whole thread. */
async function possible(trx: WriteTransaction, threadId: string, asked: readonly MessageRevision[]) {
  const revisions = await storedRevisions(trx, threadId);
  const removals = revisions.filter(({ eventType }) => eventType === 'message_removed');
  const removed = new Set(removals.map(({ messageId }) => messageId));
  return asked.filter(({ isReturn, messageId }) => !isReturn || removed.has(messageId));
}

function threadRow(trx: WriteTransaction, threadId: string) {
  const thread = trx.selectFrom('threads').select(['user_id', 'last_seq']);
  return thread.where('thread_id', '=', threadId).executeTakeFirstOrThrow();
}

/** By `seq`. */
async function readEvents(trx: WriteTransaction, threadId: string, seqs: readonly number[]) {
  if (seqs.length === 0) return new Map<number, never>();
  const rows = await trx
    .selectFrom('run_events')
    .select(['seq', 'user_id', 'event_type', 'content_format', 'content', 'is_replaced', 'revised_by'])
    .where('thread_id', '=', threadId)
    .where('seq', 'in', seqs)
    .execute();
  return new Map(
    rows.map((row) => {
      const { seq, event_type: eventType, is_replaced: isReplaced, revised_by: revisedBy } = row;
      const text = unpackText(row.content ?? '');
      const content = row.content_format === 'json' ? parseJson(text) : text;
      return [seq, { seq, userId: row.user_id, eventType, content, isReplaced, revisedBy }];
    }),
  );
}

const MESSAGES_AT_ONCE = 128;

function pages<T>(items: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / MESSAGES_AT_ONCE);
  return Array.from({ length: count }, (_, n) =>
    items.slice(n * MESSAGES_AT_ONCE, (n + 1) * MESSAGES_AT_ONCE),
  );
}
