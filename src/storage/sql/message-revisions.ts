// Messages that are said anew or taken out after they were recorded: the listings and the search follow what stands.
import { sql } from 'kysely';
import type { Json } from '../../messages/message.ts';
import type { MessageRevision } from '../run-events.ts';
import type { AppendRunEvents } from './append-run-events.ts';
import type { WriteTransaction } from './database.ts';
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

export function createMessageRevisions({ appendRunEvents, searchEntries }: RevisionParts): MessageRevisions {
  const apply = async (trx: WriteTransaction, message: OwnedMessage, standing: Standing | undefined) => {
    const { threadId, seq, userId, eventType } = message;
    const isRemoved = standing?.eventType === 'message_removed';
    const edit = isRemoved ? undefined : standing;
    await trx
      .updateTable('run_events')
      .set({
        is_replaced: sql<number>`(is_replaced & ${LEFT_BEHIND | REPEATED}) + ${isRemoved ? REMOVED : 0}`,
        revised_by: edit?.seq ?? null,
      })
      .where('thread_id', '=', threadId)
      .where('seq', '=', seq)
      .execute();
    const found = isRemoved ? undefined : searchableMessage(eventType, edit?.content ?? message.content);
    await searchEntries.setMessage(trx, { threadId, seq, userId, text: found?.text ?? '' });
  };

  const settle: MessageRevisions['settle'] = async (trx, threadId, headId) => {
    const revisions = await storedRevisions(trx, threadId);
    if (revisions.length === 0) return;
    const { user_id: threadUserId } = await threadRow(trx, threadId);
    for (const [seq, revision] of await standingRevisions(trx, revisions, headId)) {
      const message = await readEvent(trx, threadId, seq);
      if (message === undefined || isSettled(message, revision)) continue;
      const standing = revision && (await readEvent(trx, threadId, revision.seq));
      const userId = isHiddenOwner(threadUserId) ? message.userId : threadUserId;
      await apply(trx, { ...message, threadId, userId }, standing);
    }
  };

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
      for (const [index, { message, event }] of counted.entries()) {
        const seq = last + 1 + index;
        await setRevised(trx, threadId, { seq, revises: message.seq });
        await apply(trx, { ...message, threadId, userId }, { ...event, seq });
      }
    },

    async repeat(trx, runId, messageIds) {
      const ids = new Set(messageIds);
      const own = trx.selectFrom('run_events').select(['thread_id', 'seq', 'content']);
      const rows = own.where('run_id', '=', runId).where('event_type', '=', 'human_message');
      for (const { thread_id: threadId, seq, content } of await rows.execute()) {
        if (!ids.has(messageIdOf(parseJson(unpackText(content ?? 'null'))) ?? '')) continue;
        const marked = trx.updateTable('run_events').set({ is_replaced: sql`is_replaced | ${REPEATED}` });
        await marked.where('thread_id', '=', threadId).where('seq', '=', seq).execute();
      }
    },

    async adopt(trx, threadId, headId) {
      let open = (await storedRevisions(trx, threadId)).filter(({ revises }) => revises === null);
      if (open.length === 0) return;
      for await (const message of recordedMessages(trx, threadId)) {
        const isOf = ({ messageId, seq }: (typeof open)[number]) =>
          messageId === message.messageId && seq > message.seq;
        for (const { seq } of open.filter(isOf))
          await setRevised(trx, threadId, { seq, revises: message.seq });
        open = open.filter((revision) => !isOf(revision));
        if (open.length === 0) break;
      }
      await settle(trx, threadId, headId);
    },
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

function isSettled(
  { revisedBy, isReplaced }: Pick<RecordedMessage, 'revisedBy' | 'isReplaced'>,
  revision: Pick<Standing, 'seq' | 'eventType'> | undefined,
): boolean {
  const isRemoved = revision?.eventType === 'message_removed';
  const edit = isRemoved ? undefined : revision?.seq;
  return revisedBy === (edit ?? null) && (isReplaced & REMOVED) === (isRemoved ? REMOVED : 0);
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

async function readEvent(trx: WriteTransaction, threadId: string, seq: number) {
  const event = trx
    .selectFrom('run_events')
    .select(['seq', 'user_id', 'event_type', 'content_format', 'content', 'is_replaced', 'revised_by'])
    .where('thread_id', '=', threadId)
    .where('seq', '=', seq);
  const row = await event.executeTakeFirst();
  if (row === undefined) return undefined;
  const text = unpackText(row.content ?? '');
  const content = row.content_format === 'json' ? parseJson(text) : text;
  const { event_type: eventType, is_replaced: isReplaced, revised_by: revisedBy } = row;
  return { seq, userId: row.user_id, eventType, content, isReplaced, revisedBy };
}

/** What tells of a message is no message of the conversation itself. */
async function setRevised(
  trx: WriteTransaction,
  threadId: string,
  { seq, revises }: { readonly seq: number; readonly revises: number },
): Promise<void> {
  const revision = trx.updateTable('run_events').set({ is_replaced: LEFT_BEHIND, revises });
  await revision.where('thread_id', '=', threadId).where('seq', '=', seq).execute();
}
