// Makes the metadata of threads searchable, with one hash per key and value.
import type { JsonObject } from '../../../messages/message.ts';
import type { WriteTransaction } from '../database/database.ts';
import { canonicalJson, sha256 } from '../database/json-column.ts';
import { pagesOf } from '../database/page-of.ts';

/** Far below the limit of parameters in a statement. */
const ROWS_AT_ONCE = 500;

/** Returns one hash per entry, the same for equal JSON values. Keys are data, never SQL. */
export function entryHashes(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata).map(([key, value]) => sha256(canonicalJson([key, value])));
}

/** Adds the entries by which searches of this owner find the thread. */
export async function indexMetadata(
  trx: WriteTransaction,
  thread: { readonly threadId: string; readonly userId: string | null },
  metadata: JsonObject,
): Promise<void> {
  const rows = entryHashes(metadata).map((entry_hash) => ({
    thread_id: thread.threadId,
    entry_hash,
    user_id: thread.userId,
  }));
  for (const some of pagesOf(rows, ROWS_AT_ONCE))
    await trx.insertInto('thread_metadata').values(some).execute();
}

/** Replaces the metadata of the thread, and the entries by which searches find it. */
export async function replaceMetadata(
  trx: WriteTransaction,
  thread: { readonly thread_id: string; readonly user_id: string | null },
  metadata: JsonObject,
): Promise<void> {
  const { thread_id: threadId, user_id: userId } = thread;
  const text = JSON.stringify(metadata);
  await trx.updateTable('threads').set({ metadata: text }).where('thread_id', '=', threadId).execute();
  await trx.deleteFrom('thread_metadata').where('thread_id', '=', threadId).execute();
  await indexMetadata(trx, { threadId, userId }, metadata);
}
