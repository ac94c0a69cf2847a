// Rebuilds the search index of threads from their record, compares it, and adds what it lacks.
import { type Selectable, sql } from 'kysely';
import type { WantedToken } from '../../../messages/search/search-tokens.ts';
import type { SearchIndex, SearchIndexDifference } from '../../message-search.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { contentOf } from '../database/json-column.ts';
import { REMOVED, SHOWN_MARK, SHOWN_REVISION } from '../database/message-marks.ts';
import { pagesOf } from '../database/page-of.ts';
import type { RunEventsTable } from '../database/run-tables.ts';
import type { ThreadsTable } from '../database/tables.ts';
import { indexedWords, type SearchEntries, type SearchEntry, titleOf } from './search-entries.ts';
import { SEARCHABLE_EVENTS, searchableMessage } from './searchable-message.ts';

/** Few enough that nothing else in the service waits for long. */
const MESSAGES_AT_ONCE = 50;
const WORDS_AT_ONCE = 100;
/** Pages of 4 KiB, which take a millisecond or two. */
const PAGES_AT_ONCE = 32;

type IndexedThread = Pick<ThreadsTable, 'thread_id' | 'user_id' | 'display_name'>;

export function createSearchIndex(database: Database, entries: SearchEntries): SearchIndex {
  /** The number of additions when everything was merged. An earlier process may have left something. */
  let mergedAt = -1;
  return {
    catchUp: async () => {
      // Most passes find nothing and need no transaction.
      const backlog = await database.read((db) =>
        db.selectFrom('search_backlog').select('thread_id').limit(1).executeTakeFirst(),
      );
      if (backlog === undefined) return false;
      await database.write((trx) => catchUpWith({ database, trx, entries }, backlog.thread_id));
      return true;
    },
    merge: async () => {
      const additions = entries.additions();
      // Postgres merges by itself, in its own processes.
      if (database.name !== 'sqlite' || additions === mergedAt) return false;
      const isMore = await database.write(mergeSome);
      if (!isMore) mergedAt = additions;
      return isMore;
    },
    compare: (threadId) => database.write((trx) => compareEntries(database, trx, threadId)),
    rebuild: async (threadId) => {
      await database.write(async (trx) => {
        if ((await lockThread(database, trx, threadId)) === undefined) return;
        await trx.deleteFrom('search_docs').where('thread_id', '=', threadId).execute();
        await trx
          .insertInto('search_backlog')
          .values({ thread_id: threadId, after_seq: 0 })
          .onConflict((conflict) => conflict.column('thread_id').doUpdateSet({ after_seq: 0 }))
          .execute();
      });
    },
  };
}

async function mergeSome(trx: WriteTransaction): Promise<boolean> {
  const before = await totalChanges(trx);
  await sql`insert into search_words (search_words, rank) values ('merge', ${PAGES_AT_ONCE})`.execute(trx);
  // As documented by SQLite, a merge that found nothing to do counts as one change itself.
  return (await totalChanges(trx)) - before >= 2;
}

async function totalChanges(trx: WriteTransaction): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(trx);
  return rows[0]?.changes ?? 0;
}

/** Locks the thread before its other rows, as every writer does. */
function lockThread(
  database: Database,
  trx: WriteTransaction,
  threadId: string,
): Promise<IndexedThread | undefined> {
  const query = trx.selectFrom('threads').select(['thread_id', 'user_id', 'display_name']);
  return database.locked(query.where('thread_id', '=', threadId)).executeTakeFirst();
}

interface CatchUp {
  readonly database: Database;
  readonly trx: WriteTransaction;
  readonly entries: SearchEntries;
}

async function catchUpWith({ database, trx, entries }: CatchUp, threadId: string): Promise<void> {
  const thread = await lockThread(database, trx, threadId);
  const backlog = trx.selectFrom('search_backlog').selectAll().where('thread_id', '=', threadId);
  // Read again under the lock, because another process may have continued it.
  const position = await backlog.executeTakeFirst();
  if (thread === undefined || position === undefined) return;
  const { entries: messages, last, more } = await messagesAfter(trx, thread, position.after_seq);
  if (position.after_seq === 0) await entries.setTitle(trx, titleOf(thread));
  await entries.add(trx, messages);
  if (more) {
    const moved = trx.updateTable('search_backlog').set({ after_seq: last });
    await moved.where('thread_id', '=', threadId).execute();
  } else {
    await trx.deleteFrom('search_backlog').where('thread_id', '=', threadId).execute();
  }
}

async function messagesAfter(trx: WriteTransaction, thread: IndexedThread, afterSeq: number) {
  const rows = await trx
    .selectFrom('run_events')
    .innerJoin('threads', 'threads.thread_id', 'run_events.thread_id')
    .leftJoin('run_events as edits', (join) =>
      join.onRef('edits.thread_id', '=', 'run_events.thread_id').on('edits.seq', '=', SHOWN_REVISION),
    )
    .select(['run_events.seq', 'run_events.event_type', 'run_events.content_format'])
    .select(SHOWN_MARK.as('is_replaced'))
    .select((eb) => eb.fn.coalesce('edits.content', 'run_events.content').as('content'))
    .where('run_events.thread_id', '=', thread.thread_id)
    .where('run_events.seq', '>', afterSeq)
    .where('run_events.event_type', 'in', SEARCHABLE_EVENTS)
    .orderBy('run_events.seq')
    .limit(MESSAGES_AT_ONCE)
    .execute();
  const entries = rows.flatMap((row) => toEntry(thread, row) ?? []);
  return { entries, last: rows.at(-1)?.seq ?? afterSeq, more: rows.length === MESSAGES_AT_ONCE };
}

function toEntry(
  thread: IndexedThread,
  row: Pick<Selectable<RunEventsTable>, 'seq' | 'event_type' | 'content_format' | 'content' | 'is_replaced'>,
): SearchEntry | undefined {
  if ((row.is_replaced & REMOVED) !== 0) return undefined;
  const message = searchableMessage(row.event_type, contentOf(row.content, row.content_format));
  if (message === undefined) return undefined;
  return { threadId: thread.thread_id, userId: thread.user_id, seq: row.seq, text: message.text };
}

/** Returns how a thread's entries differ from its record. Locks the thread. */
export async function compareEntries(
  database: Database,
  trx: WriteTransaction,
  threadId: string,
): Promise<readonly SearchIndexDifference[]> {
  const thread = await lockThread(database, trx, threadId);
  if (thread === undefined) return [];
  const docs = await trx
    .selectFrom('search_docs')
    .select(['doc_id', 'seq'])
    .where('thread_id', '=', threadId)
    .execute();
  const surplus = new Map(docs.map((doc) => [doc.seq, doc.doc_id]));
  const staged = await stagedSeqs(trx, threadId);
  const differences: SearchIndexDifference[] = [];
  for await (const entries of pagesOfEntries(trx, thread)) {
    const indexed: IndexedEntry[] = [];
    for (const entry of entries) {
      const docId = surplus.get(entry.seq);
      surplus.delete(entry.seq);
      if (docId === undefined) differences.push({ threadId, seq: entry.seq, kind: 'missing' });
      else indexed.push({ docId, entry });
    }
    for (const { seq } of await withoutTheirWords(database, trx, indexed))
      differences.push({ threadId, seq, kind: 'different' });
  }
  for (const seq of surplus.keys()) {
    // Until a move is settled, the search finds its messages by the words of before and after.
    if (!staged.has(seq)) differences.push({ threadId, seq, kind: 'surplus' });
  }
  return differences;
}

async function stagedSeqs(trx: WriteTransaction, threadId: string): Promise<ReadonlySet<number | null>> {
  const staged = trx.selectFrom('run_events').select('seq').where('thread_id', '=', threadId);
  return new Set((await staged.where('next_replaced', 'is not', null).execute()).map(({ seq }) => seq));
}

/** Yields all entries that the index should have of the thread. */
async function* pagesOfEntries(
  trx: WriteTransaction,
  thread: IndexedThread,
): AsyncGenerator<readonly SearchEntry[]> {
  const title = { ...titleOf(thread), seq: null };
  if (indexedWords(title) !== '') yield [title];
  for (let after = 0; ; ) {
    const { entries, last, more } = await messagesAfter(trx, thread, after);
    yield entries.filter((entry) => indexedWords(entry) !== '');
    if (!more) return;
    after = last;
  }
}

interface IndexedEntry {
  readonly docId: number;
  readonly entry: SearchEntry;
}

/** Returns the entries that lack a word that they should have. */
async function withoutTheirWords(
  database: Database,
  trx: WriteTransaction,
  indexed: readonly IndexedEntry[],
): Promise<readonly SearchEntry[]> {
  if (indexed.length === 0) return [];
  const whole =
    database.name === 'sqlite'
      ? await wholeOnSqlite(database, trx, indexed)
      : await wholeOnPostgres(trx, indexed);
  return indexed.filter(({ docId }) => !whole.has(docId)).map(({ entry }) => entry);
}

/** Returns the words without the mark of the owner, because the thread may have had another one. */
function wordsOf(entry: SearchEntry): readonly string[] {
  return indexedWords(entry).split(' ').slice(1);
}

/** Returns the ids of the entries with all their words. SQLite does not store which words an entry has. */
async function wholeOnSqlite(
  database: Database,
  trx: WriteTransaction,
  indexed: readonly IndexedEntry[],
): Promise<ReadonlySet<number>> {
  const whole = new Set(indexed.map(({ docId }) => docId));
  for (const { docId, entry } of indexed) {
    for (const words of pagesOf(wordsOf(entry), WORDS_AT_ONCE)) {
      const tokens = words.map((token) => ({ token, prefix: false }));
      const match = indexQuery(database, tokens);
      const found = sql`select 1 from search_words where rowid = ${docId} and search_words match ${match}`;
      if ((await found.execute(trx)).rows.length > 0) continue;
      whole.delete(docId);
      break;
    }
  }
  return whole;
}

async function wholeOnPostgres(
  trx: WriteTransaction,
  indexed: readonly IndexedEntry[],
): Promise<ReadonlySet<number>> {
  const ids = indexed.map(({ docId }) => docId);
  const { rows } = await sql<{ doc_id: number; words: readonly string[] }>`
    select doc_id, tsvector_to_array(words) as words from search_docs
    where doc_id in (${sql.join(ids)})`.execute(trx);
  const stored = new Map(rows.map((row) => [row.doc_id, new Set(row.words)]));
  const isWhole = ({ docId, entry }: IndexedEntry) =>
    wordsOf(entry).every((word) => stored.get(docId)?.has(word) === true);
  return new Set(indexed.filter(isWhole).map(({ docId }) => docId));
}

/**
 * Returns a query for entries with all tokens and, if `anyOf` is not empty, one of those. Tokens consist of
 * letters, digits, marks and `_`, and are quoted, so none is an operator.
 */
export function indexQuery(
  { name }: Pick<Database, 'name'>,
  tokens: readonly WantedToken[],
  anyOf: readonly string[] = [],
): string {
  const { and, or, quote, anyEnd } = name === 'sqlite' ? SQLITE : POSTGRES;
  const term = ({ token, prefix }: WantedToken) => `${quote}${token}${quote}${prefix ? anyEnd : ''}`;
  const choice = anyOf.map((token) => term({ token, prefix: false })).join(or);
  return [...(choice === '' ? [] : [`(${choice})`]), ...tokens.map(term)].join(and);
}

const SQLITE = { and: ' AND ', or: ' OR ', quote: '"', anyEnd: '*' };
const POSTGRES = { and: ' & ', or: ' | ', quote: "'", anyEnd: ':*' };
