// How messages read now: as the line to the thread's head says them last, or not at all.
import type { Json } from '../../../messages/message.ts';
import type { WriteTransaction } from '../database/database.ts';
import { canonicalJson, isJsonObject, parseJson, sha256 } from '../database/json-column.ts';
import { LEFT_BEHIND, REMOVED, REPEATED } from '../database/message-marks.ts';
import { unpackText } from '../database/packed-text.ts';
import { messageIdOf, type RecordedMessage, recordedMessages } from '../messages/recorded-messages.ts';
import {
  FROM_THE_START,
  judgedMessages,
  lineageTo,
  markedAs,
  undoneRuns,
} from '../messages/thread-lineage.ts';
import type { CheckedThread, ThreadProjection } from './projection.ts';

/** What no checkpoint of the line brought is not judged. A message that was changed before that was recorded is mended. */
export const revisedMessages: ThreadProjection = {
  name: 'revised messages',
  async *check(thread) {
    const { trx, row, isActive } = thread;
    if (isActive || row.head_checkpoint_id === null) return;
    const last = await lastWords(trx, row.head_checkpoint_id);
    for await (const message of conversation(trx, row.thread_id)) {
      const words = last.get(message.messageId);
      // What was taken out and said again by another run stays taken out where it was.
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

/** Newest first. */
async function* conversation(trx: WriteTransaction, threadId: string): AsyncGenerator<RecordedMessage> {
  const undone = await undoneRuns(trx, threadId);
  for await (const message of recordedMessages((query) => query(trx), threadId)) {
    const isElsewhere = (message.isReplaced & (LEFT_BEHIND | REPEATED)) !== 0;
    if (!isElsewhere && !undone.has(message.runId)) yield message;
  }
}

interface LastWords {
  /** Of the message; `REMOVED_HASH` when it is gone. */
  readonly hash: string;
  /** That said so. */
  readonly checkpointId: string;
}

const REMOVED_HASH = '';

const CHECKPOINTS_AT_ONCE = 50;

async function lastWords(trx: WriteTransaction, headId: string): Promise<Map<string, LastWords>> {
  const last = new Map<string, LastWords>();
  const ids = await idsFromTheRoot(trx, headId);
  for (let first = 0; first < ids.length; first += CHECKPOINTS_AT_ONCE) {
    const page = ids.slice(first, first + CHECKPOINTS_AT_ONCE);
    const rows = trx.selectFrom('checkpoints').select(['checkpoint_id', 'delta']);
    for (const row of await rows.where('checkpoint_id', 'in', page).orderBy('step').execute()) {
      for (const change of changesIn(row.delta)) apply(last, change, row.checkpoint_id);
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

function changesIn(delta: Parameters<typeof unpackText>[0]): readonly Json[] {
  const parsed = parseJson(unpackText(delta));
  const messages = isJsonObject(parsed) ? parsed.messages : undefined;
  return Array.isArray(messages) ? messages : [];
}

async function idsFromTheRoot(trx: WriteTransaction, headId: string): Promise<readonly string[]> {
  const line = [...(await lineageTo(trx, headId, FROM_THE_START))];
  const steps: { readonly checkpoint_id: string; readonly step: number }[] = [];
  for (let first = 0; first < line.length; first += CHECKPOINTS_AT_ONCE) {
    const page = line.slice(first, first + CHECKPOINTS_AT_ONCE);
    const rows = trx.selectFrom('checkpoints').select(['checkpoint_id', 'step']);
    steps.push(...(await rows.where('checkpoint_id', 'in', page).execute()));
  }
  return steps.sort((a, b) => a.step - b.step).map((row) => row.checkpoint_id);
}

/** Of what the listings show. */
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

/** Before revisions were recorded, states were changed without a word. */
async function recordLate(
  { trx, row: { thread_id: threadId }, messageRevisions }: CheckedThread,
  { messageId }: RecordedMessage,
  { hash, checkpointId }: LastWords,
): Promise<void> {
  const query = trx.selectFrom('checkpoints').select(['delta', 'created_at']);
  const checkpoint = await query.where('checkpoint_id', '=', checkpointId).executeTakeFirstOrThrow();
  const said = changesIn(checkpoint.delta).findLast((change) => messageIdOf(change) === messageId);
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
 * Which messages the conversation went on without: those that are not on the line to the thread's head.
 */
export const replacedMessages: ThreadProjection = {
  name: 'replaced messages',
  async *check({ trx, row, isActive }) {
    // A run that goes on writes its messages and its checkpoints at different moments.
    if (isActive) return;
    const { thread_id: threadId, head_checkpoint_id: headId } = row;
    for await (const { seq, runId, stored, folded } of judgedMessages(trx, threadId, headId)) {
      if (stored === folded) continue;
      const mended = trx.updateTable('run_events').set({ is_replaced: markedAs(folded) });
      yield {
        runId,
        what: `message ${seq}`,
        stored,
        folded,
        mend: () => mended.where('thread_id', '=', threadId).where('seq', '=', seq).execute(),
      };
    }
  },
};
