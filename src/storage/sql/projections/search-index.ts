// Checks the full-text index of a thread's title and messages, and rebuilds it.
import type { SearchIndex } from '../../message-search.ts';
import type { Connection, Database } from '../database/database.ts';
import { compareEntries } from '../search/search-index.ts';
import type { ThreadProjection } from './projection.ts';

const STORED = { missing: 'no entry', surplus: 'an entry', different: 'other words' } as const;
const FOLDED = { missing: 'an entry', surplus: 'none', different: 'the words of the record' } as const;

/**
 * Compares the index in the transaction that locked the thread. `mendIndex` repairs it afterwards. A thread
 * that waits for the index to catch up is no difference.
 */
export const searchEntries: ThreadProjection = {
  name: 'search index',
  async *check({ database, trx, row }) {
    if (await isWaiting(trx, row.thread_id)) return;
    for (const { seq, kind } of await compareEntries(database, trx, row.thread_id))
      yield {
        what: seq === null ? 'title' : `message ${seq}`,
        stored: STORED[kind],
        folded: FOLDED[kind],
        mend: async () => {},
      };
  },
};

/** Rebuilds the index entries of the thread. */
export async function mendIndex(
  { database, searchIndex }: { readonly database: Database; readonly searchIndex: SearchIndex },
  threadId: string,
): Promise<void> {
  await searchIndex.rebuild(threadId);
  while ((await database.read((db) => isWaiting(db, threadId))) && (await searchIndex.catchUp())) {
    // Each call indexes a bounded number of messages.
  }
}

async function isWaiting(db: Connection, threadId: string): Promise<boolean> {
  const waiting = db.selectFrom('search_backlog').select('thread_id').where('thread_id', '=', threadId);
  return (await waiting.executeTakeFirst()) !== undefined;
}
