// Writes the entries of the search index, in the transaction that writes the texts.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Breath, createBreath } from '../../../breath.ts';
import { tokenSteps, tokensOf } from '../../../messages/search/search-tokens.ts';
import { createBulkStatement } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import type { ThreadsTable } from '../database/tables.ts';

export interface SearchEntry {
  readonly threadId: string;
  /** The `seq` of the run event; `null` for the title. */
  readonly seq: number | null;
  /** The owner of the thread. */
  readonly userId: string | null;
  readonly text: string;
  /** The text that the message may have instead while the lineage of its thread moves. */
  readonly orText?: string;
}

type Title = Omit<SearchEntry, 'seq' | 'orText'>;

export interface MessageEntry extends SearchEntry {
  readonly seq: number;
}

/** Returns the title of a thread for the index. */
export function titleOf(thread: Pick<ThreadsTable, 'thread_id' | 'user_id' | 'display_name'>): Title {
  return { threadId: thread.thread_id, userId: thread.user_id, text: thread.display_name ?? '' };
}

/** Marks are never words, because words begin with a letter or a digit. */
export const TITLE_MARK = '_title';
export const MESSAGE_MARK = '_text';
export const SHARED_MARK = '_shared';

/** Returns the mark that narrows candidates to an owner. The row of the thread decides who owns it. */
export function ownerMark(userId: string | null): string {
  if (userId === null) return SHARED_MARK;
  return `_o${createHash('sha256').update(userId).digest('hex').slice(0, 16)}`;
}

/** Returns marks and words, separated by spaces; empty when the text has no word. */
export function indexedWords(entry: SearchEntry): string {
  return withMarks(entry, textsOf(entry).flatMap(tokensOf));
}

function textsOf({ text, orText }: SearchEntry): readonly string[] {
  return orText === undefined || orText === text ? [text] : [text, orText];
}

function withMarks({ seq, userId }: SearchEntry, found: readonly string[]): string {
  const tokens = new Set(found);
  if (tokens.size === 0) return '';
  return [ownerMark(userId), seq === null ? TITLE_MARK : MESSAGE_MARK, ...tokens].join(' ');
}

async function tokensInTurns(text: string, breath: Breath): Promise<readonly string[]> {
  const steps = tokenSteps(text);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    const wait = breath();
    if (wait !== undefined) await wait;
  }
  return step.value;
}

interface WordedEntry extends SearchEntry {
  readonly words: string;
}

/** Returns the entries that have words. Other work gets its turn between the words of long texts. */
async function withWords(entries: readonly SearchEntry[]): Promise<readonly WordedEntry[]> {
  const breath = createBreath();
  const filled: WordedEntry[] = [];
  for (const entry of entries) {
    const tokens: string[] = [];
    for (const text of textsOf(entry)) tokens.push(...(await tokensInTurns(text, breath)));
    const words = withMarks(entry, tokens);
    if (words !== '') filled.push({ ...entry, words });
  }
  return filled;
}

export function createSearchEntries(database: Database) {
  const insert = database.name === 'sqlite' ? insertOnSqlite(database) : insertOnPostgres(database);
  const deleteMessages = createBulkStatement(
    database.queries,
    sql`(cast(${null} as text), cast(${null} as bigint))`,
    (rows) => sql<never>`delete from search_docs where (thread_id, seq) in (values ${rows})`,
  );
  let additions = 0;
  /** Adds entries. A text without a word gets none, and a message with an entry keeps it. */
  const add = async (trx: WriteTransaction, entries: readonly SearchEntry[]): Promise<void> => {
    const filled = await withWords(entries);
    if (filled.length === 0) return;
    await insert(trx, filled);
    additions++;
  };
  return {
    /** Returns how often words were added since the start. */
    additions: () => additions,
    add,
    /** Replaces the entries of these messages. */
    async setMessages(trx: WriteTransaction, messages: readonly MessageEntry[]): Promise<void> {
      const places = messages.map(({ threadId, seq }) => [threadId, seq]);
      await deleteMessages(trx, places);
      await add(trx, messages);
    },
    /** Replaces the entry of the thread's title. */
    async setTitle(trx: WriteTransaction, title: Title): Promise<void> {
      const former = trx.deleteFrom('search_docs').where('thread_id', '=', title.threadId);
      await former.where('seq', 'is', null).execute();
      await add(trx, [{ ...title, seq: null }]);
    },
  };
}

export type SearchEntries = ReturnType<typeof createSearchEntries>;

type InsertEntries = (trx: WriteTransaction, entries: readonly WordedEntry[]) => Promise<void>;

function insertOnSqlite({ queries }: Database): InsertEntries {
  const insertDocs = createBulkStatement(
    queries,
    sql`(${null}, ${null})`,
    (rows) => sql<{ doc_id: number; thread_id: string; seq: number | null }>`
      insert into search_docs (thread_id, seq) values ${rows} on conflict do nothing
      returning doc_id, thread_id, seq`,
  );
  const insertWords = createBulkStatement(
    queries,
    sql`(${null}, ${null})`,
    (rows) => sql<never>`insert into search_words (rowid, words) values ${rows}`,
  );
  const keyOf = (threadId: string, seq: number | null) => `${threadId} ${seq}`;
  return async (trx, entries) => {
    const words = new Map(entries.map((entry) => [keyOf(entry.threadId, entry.seq), entry.words]));
    const keys = entries.map(({ threadId, seq }) => [threadId, seq]);
    const docs = await insertDocs(trx, keys);
    // Sorted, because the index flushes its buffer whenever an id is lower than the last one.
    const ordered = docs.toSorted((a, b) => a.doc_id - b.doc_id);
    const rows = ordered.map((doc) => [doc.doc_id, words.get(keyOf(doc.thread_id, doc.seq)) ?? '']);
    await insertWords(trx, rows);
  };
}

function insertOnPostgres({ queries }: Database): InsertEntries {
  const insert = createBulkStatement(
    queries,
    sql`(${null}, ${null}, ${null})`,
    (rows) => sql<never>`
      insert into search_docs (thread_id, seq, words)
      select thread_id, seq, array_to_tsvector(string_to_array(words, ' '))
      from (values (null::text, null::bigint, null::text), ${rows}) as added (thread_id, seq, words)
      where thread_id is not null
      on conflict do nothing`,
  );
  return async (trx, entries) => {
    const rows = entries.map(({ threadId, seq, words }) => [threadId, seq, words]);
    await insert(trx, rows);
  };
}
