// Checks how messages read: as last written on the lineage of the thread's head, or removed.
import { isJsonObject, type Json } from '../../../messages/message.ts';
import type { WriteTransaction } from '../database/database.ts';
import { canonicalJson, parseJson, sha256 } from '../database/json-column.ts';
import { LEFT_BEHIND, REMOVED, REPEATED } from '../database/message-marks.ts';
import { unpackText } from '../database/packed-text.ts';
import { pagesOf } from '../database/page-of.ts';
import {
  messageIdOf,
  messagesInDelta,
  type RecordedMessage,
  recordedMessages,
} from '../messages/recorded-messages.ts';
import { judgedMessages, lineageTo, markAsFolded, undoneRuns } from '../messages/thread-lineage.ts';
import type { CheckedThread, ThreadProjection } from './projection.ts';

/**
 * Ignores messages that no checkpoint of the lineage added. Repairs messages that were changed before
 * revisions were recorded.
 */
export const revisedMessages: ThreadProjection = {
  name: 'revised messages',
  async *check(thread) {
    const { trx, row, isActive } = thread;
    if (isActive || row.head_checkpoint_id === null) return;
    const last = await lastWords(trx, row.head_checkpoint_id);
    for await (const message of conversation(trx, row.thread_id)) {
      const words = last.get(message.messageId);
      // A message that was removed and added again by another run stays removed at its old position.
      last.delete(message.messageId);
      const stored = await shownHash(trx, row.thread_id, message);
      if (words === undefined || stored === words.hash) continue;
      yield {
        runId: message.runId,
        what: `message ${message.seq}`,
        stored: stored === REMOVED_HASH ? 'removed' : 'other words',
        folded: words.hash === REMOVED_HASH ? 'removed' : 'as the state says it',
        mend: () => mend(thread, message, words),
      };
    }
  },
};

/** Yields the messages of the conversation, newest first. */
async function* conversation(trx: WriteTransaction, threadId: string): AsyncGenerator<RecordedMessage> {
  const undone = await undoneRuns(trx, threadId);
  for await (const message of recordedMessages((query) => query(trx), threadId)) {
    const isElsewhere = (message.isReplaced & (LEFT_BEHIND | REPEATED)) !== 0;
    if (!isElsewhere && !undone.has(message.runId)) yield message;
  }
}

interface LastWords {
  /** The hash of the message; `REMOVED_HASH` when it was removed. */
  readonly hash: string;
  /** The checkpoint that did this. */
  readonly checkpointId: string;
}

const REMOVED_HASH = '';

const CHECKPOINTS_AT_ONCE = 50;

async function lastWords(trx: WriteTransaction, headId: string): Promise<Map<string, LastWords>> {
  const last = new Map<string, LastWords>();
  const ids = await lineageTo(trx, headId);
  for (const page of pagesOf([...ids], CHECKPOINTS_AT_ONCE)) {
    const rows = trx.selectFrom('checkpoints').select(['checkpoint_id', 'delta']);
    for (const row of await rows.where('checkpoint_id', 'in', page).orderBy('step').execute()) {
      for (const change of messagesInDelta(row.delta)) apply(last, change, row.checkpoint_id);
    }
  }
  return last;
}

const REMOVE_ALL = '__remove_all__';

function apply(last: Map<string, LastWords>, change: Json, checkpointId: string): void {
  const id = messageIdOf(change);
  if (id === undefined) return;
  const isRemoval = isJsonObject(change) && change.type === 'remove';
  const ids = isRemoval && id === REMOVE_ALL ? [...last.keys()] : [id];
  const hash = isRemoval ? REMOVED_HASH : sha256(canonicalJson(change));
  for (const changed of ids) last.set(changed, { hash, checkpointId });
}

/** Returns the hash of what the listings show. */
async function shownHash(trx: WriteTransaction, threadId: string, message: RecordedMessage): Promise<string> {
  if ((message.isReplaced & REMOVED) !== 0) return REMOVED_HASH;
  if (message.revisedBy === null) return sha256(canonicalJson(message.content));
  const edit = trx.selectFrom('run_events').select('content').where('thread_id', '=', threadId);
  const row = await edit.where('seq', '=', message.revisedBy).executeTakeFirst();
  return sha256(canonicalJson(parseJson(unpackText(row?.content ?? 'null'))));
}

async function mend(thread: CheckedThread, message: RecordedMessage, words: LastWords): Promise<void> {
  const { trx, row, messageRevisions } = thread;
  const { thread_id: threadId, head_checkpoint_id: headId } = row;
  await messageRevisions.settle(trx, threadId, headId);
  for await (const now of recordedMessages((query) => query(trx), threadId)) {
    if (now.seq > message.seq) continue;
    if ((await shownHash(trx, threadId, now)) === words.hash) return;
    break;
  }
  await recordLate(thread, message, words);
}

/** Records a change that was made before revisions were recorded. */
async function recordLate(
  { trx, row: { thread_id: threadId }, messageRevisions }: CheckedThread,
  { messageId }: RecordedMessage,
  { hash, checkpointId }: LastWords,
): Promise<void> {
  const query = trx.selectFrom('checkpoints').select(['delta', 'created_at']);
  const checkpoint = await query.where('checkpoint_id', '=', checkpointId).executeTakeFirstOrThrow();
  const said = messagesInDelta(checkpoint.delta).findLast((change) => messageIdOf(change) === messageId);
  const isRemoved = hash === REMOVED_HASH || said === undefined;
  const event = {
    eventType: isRemoved ? 'message_removed' : 'message_edited',
    category: 'message',
    content: isRemoved ? '' : said,
    metadata: { message_id: messageId, checkpoint_id: checkpointId },
    createdAt: checkpoint.created_at,
  } as const;
  await messageRevisions.record(trx, threadId, [{ messageId, event, isReturn: false }]);
}

/**
 * Checks which messages the conversation has left behind: those that are not on the lineage of the thread's
 * head.
 */
export const replacedMessages: ThreadProjection = {
  name: 'replaced messages',
  async *check({ trx, row, isActive }) {
    // An active run writes its messages and its checkpoints at different moments.
    if (isActive) return;
    const { thread_id: threadId, head_checkpoint_id: headId } = row;
    for await (const message of judgedMessages(trx, threadId, headId)) {
      const { seq, runId, stored, folded } = message;
      if (stored === folded) continue;
      yield {
        runId,
        what: `message ${seq}`,
        stored,
        folded,
        mend: () => markAsFolded(trx, threadId, message),
      };
    }
  },
};
