// The searchable copy of a thread's metadata.
import { parseJsonObject } from '../database/json-column.ts';
import { entryHashes, indexMetadata } from '../search/thread-metadata.ts';
import type { ThreadProjection } from './projection.ts';

export const metadataIndex: ThreadProjection = {
  name: 'metadata index',
  async *check({ trx, row }) {
    const { thread_id, user_id } = row;
    const metadata = parseJsonObject(row.metadata);
    const query = trx.selectFrom('thread_metadata').select(['entry_hash', 'user_id']);
    const rows = await query.where('thread_id', '=', thread_id).execute();
    const stored = new Set(rows.map(({ entry_hash }) => entry_hash));
    const folded = new Set(entryHashes(metadata));
    const missing = [...folded].filter((hash) => !stored.has(hash)).length;
    const surplus = [...stored].filter((hash) => !folded.has(hash)).length;
    const foreign = rows.filter((it) => it.user_id !== user_id).length;
    if (missing + surplus + foreign === 0) return;
    yield {
      what: 'entries',
      stored: `${stored.size} (${missing} missing, ${surplus} too many, ${foreign} of somebody else)`,
      folded: folded.size,
      async mend() {
        await trx.deleteFrom('thread_metadata').where('thread_id', '=', thread_id).execute();
        await indexMetadata(trx, { threadId: thread_id, userId: user_id }, metadata);
      },
    };
  },
};
