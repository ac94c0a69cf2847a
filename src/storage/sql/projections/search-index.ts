// The full-text index of a thread's title and messages, which compares and rebuilds itself.
import type { SearchIndex } from '../../message-search.ts';
import type { Difference, VerifyOptions } from '../../projections.ts';
import type { Database } from '../database.ts';

export const SEARCH_INDEX = 'search index';

const STORED = { missing: 'no entry', surplus: 'an entry', different: 'other words' } as const;
const FOLDED = { missing: 'an entry', surplus: 'none', different: 'the words of the record' } as const;

/** A thread that waits for the index to catch up with it is no difference. */
export async function verifySearchIndex(
  { database, searchIndex }: { readonly database: Database; readonly searchIndex: SearchIndex },
  threadId: string,
  { repair }: Pick<VerifyOptions, 'repair'>,
): Promise<readonly Difference[]> {
  if (await isWaiting(database, threadId)) return [];
  const found = await searchIndex.compare(threadId);
  if (repair && found.length > 0) {
    await searchIndex.rebuild(threadId);
    while ((await isWaiting(database, threadId)) && (await searchIndex.catchUp())) {
      // A bounded number of messages each time.
    }
  }
  return found.map(({ seq, kind }) => ({
    projection: SEARCH_INDEX,
    threadId,
    runId: null,
    what: seq === null ? 'title' : `message ${seq}`,
    stored: STORED[kind],
    folded: FOLDED[kind],
    isMended: repair,
  }));
}

function isWaiting(database: Database, threadId: string): Promise<boolean> {
  return database.read(async (db) => {
    const waiting = db.selectFrom('search_backlog').select('thread_id').where('thread_id', '=', threadId);
    return (await waiting.executeTakeFirst()) !== undefined;
  });
}
