// Finds threads by the words of their titles and messages. The index gives candidates, the record confirms
// them.
import { type RawBuilder, sql } from 'kysely';
import type { SearchQuery } from '../../../messages/search/search-query.ts';
import type { FoundThread, MessageSearch } from '../../message-search.ts';
import { type Owner, UNSCOPED } from '../../storage.ts';
import type { Connection, Database } from '../database/database.ts';
import { PLANNED_EACH_TIME } from '../database/dialects/prepared-client.ts';
import { SHOWN_MARK, SHOWN_REVISION } from '../database/message-marks.ts';
import { isListed, readableBy } from '../database/owner-filter.ts';
import { type Candidate, FoundThreads, withMessages } from './found-threads.ts';
import { MESSAGE_MARK, ownerMark, SHARED_MARK, TITLE_MARK } from './search-entries.ts';
import { indexQuery } from './search-index.ts';

/**
 * A search that has checked this many candidates returns what it has found, for example for a phrase of very
 * common words. Later pages check the earlier ones again, so the limit grows with the wanted threads.
 */
const MOST_CANDIDATES = 480;
/** Not fewer, because each query makes the index merge all words with the same beginning again. */
const LEAST_AT_ONCE = 80;
const MOST_AT_ONCE = MOST_CANDIDATES;
const MOST_FOR_A_THREAD = 3;
const MOST_CHARACTERS = 400_000;
/** On Postgres, the newest texts to check for each wanted candidate before the index is queried. */
const RECENT_FOR_ONE = 75;
/** Number of messages to check in a thread whose title matches. */
const NEWEST = 30;

/** A database as one owner sees it. */
interface Reader {
  readonly database: Database;
  readonly db: Connection;
  readonly owner: Owner;
  /** The number of candidates in the first query. */
  readonly atOnce: number;
  /** The number of candidates after which the search ends. */
  readonly most: number;
}

export function createMessageSearch(database: Database, owner: Owner): MessageSearch {
  const owners = owner === UNSCOPED ? [] : [ownerMark(owner), SHARED_MARK];
  return {
    find: (query, { limit, offset }) =>
      database.read(async (db) => {
        if (query.terms.length === 0) return { threads: [], hasMore: false };
        const wanted = offset + limit + 1;
        const found = new FoundThreads(query, wanted);
        const atOnce = Math.min(MOST_AT_ONCE, Math.max(LEAST_AT_ONCE, wanted + limit));
        const most = Math.max(MOST_CANDIDATES, wanted * MOST_FOR_A_THREAD);
        const reader: Reader = { database, db, owner, atOnce, most };
        const walked = (titles: boolean) => {
          const mark = { token: titles ? TITLE_MARK : MESSAGE_MARK, prefix: false };
          return { titles, match: indexQuery(database, [mark, ...query.tokens], owners) };
        };
        // If many candidates may lack the phrase, read many titles: they are short, so it costs little more.
        const ofTitles = hasPhrase(query) ? { ...reader, atOnce: MOST_AT_ONCE } : reader;
        await walk(ofTitles, walked(true), (row) => found.addTitle(row) && []);
        // Messages are searched only if needed, because querying the index is what costs.
        if (found.all().length < wanted)
          await walk(reader, walked(false), (row) => found.addMessage(row) && found.closed());
        const all = found.all();
        const threads = await withNewest(reader, all.slice(offset, offset + limit), query);
        return { threads, hasMore: all.length > offset + limit };
      }),
  };
}

/**
 * Passes candidates to `take`, newest first. `take` returns the threads to omit from now on, or `false` to
 * stop.
 */
async function walk(
  reader: Reader,
  walked: Pick<Position, 'match' | 'titles'>,
  take: (row: Candidate) => readonly string[] | false,
): Promise<void> {
  let position: Position = { ...walked, below: Number.MAX_SAFE_INTEGER, without: [] };
  let { atOnce } = reader;
  for (let seen = 0, characters = 0; seen < reader.most && characters < MOST_CHARACTERS; ) {
    const rows = await readCandidates({ ...reader, atOnce }, position);
    for (const row of rows) {
      const without = take(row);
      if (without === false) return;
      position = { ...walked, below: row.doc_id, without };
      characters += row.content?.length ?? 0;
    }
    seen += rows.length;
    if (rows.length < atOnce) return;
    // The first candidates were not enough, so fewer queries are better from now on.
    atOnce = MOST_AT_ONCE;
  }
}

interface Position {
  readonly match: string;
  readonly titles: boolean;
  /** Only candidates with lower ids. */
  readonly below: number;
  readonly without: readonly string[];
}

async function readCandidates(reader: Reader, position: Position): Promise<readonly Candidate[]> {
  if (reader.database.name === 'sqlite') return readHits(reader, position, fromFts(position));
  const recent = await readHits(reader, position, fromRecent(position, reader.atOnce * RECENT_FOR_ONE));
  return recent.length === reader.atOnce ? recent : readHits(reader, position, fromWords(position));
}

function hasPhrase({ terms }: SearchQuery): boolean {
  return terms.some(({ words }) => words.length > 1);
}

/** Adds to threads that were found by their titles those of their last messages that match too. */
async function withNewest(
  reader: Reader,
  threads: readonly FoundThread[],
  query: SearchQuery,
): Promise<readonly FoundThread[]> {
  const titled = threads.filter(({ titleMarks }) => titleMarks.length > 0).map(({ threadId }) => threadId);
  if (titled.length === 0) return threads;
  const rows = Map.groupBy(await readNewest(reader, titled, query), (row) => row.thread_id);
  return threads.map((thread) =>
    thread.titleMarks.length === 0 ? thread : withMessages(thread, rows.get(thread.threadId) ?? [], query),
  );
}

/** Returns the last messages of each of the threads; on Postgres, only the matching ones. */
function readNewest(
  reader: Reader,
  threadIds: readonly string[],
  { tokens }: SearchQuery,
): Promise<readonly Candidate[]> {
  const onPostgres = reader.database.name === 'postgres';
  const words = onPostgres ? sql`, words` : sql``;
  const newest = threadIds.map(
    (threadId) => sql`select * from (
      select doc_id, seq as hit_id, thread_id, seq${words} from search_docs
      where thread_id = ${threadId} and seq is not null order by seq desc limit ${NEWEST}
    ) as newest`,
  );
  const asked = onPostgres ? askedFor(indexQuery(reader.database, tokens)) : sql``;
  const atOnce = threadIds.length * NEWEST;
  const hits = sql`(${sql.join(newest, sql` union all `)}) as search_docs ${asked}`;
  return readHits({ ...reader, atOnce }, { without: [] }, hits);
}

/** Returns candidates, newest first. Reads only texts that the owner may read and that are not omitted. */
async function readHits(
  { db, owner, atOnce }: Reader,
  { without }: Pick<Position, 'without'>,
  hits: RawBuilder<unknown>,
): Promise<readonly Candidate[]> {
  const others = without.length === 0 ? sql`` : sql`and threads.thread_id not in (${sql.join(without)})`;
  const { rows } = await sql<Candidate>`
    ${sql.raw(PLANNED_EACH_TIME)} select hits.doc_id, hits.thread_id, hits.seq,
      threads.display_name, threads.status, threads.created_at, threads.updated_at,
      run_events.run_id, run_events.event_type, run_events.content_format,
      coalesce(edits.content, run_events.content) as content,
      run_events.created_at as said_at,
      ${SHOWN_MARK} as is_replaced, runs.stop_reason
    from (
      select search_docs.doc_id, search_docs.thread_id, search_docs.seq
      from ${hits} cross join threads
      where threads.thread_id = search_docs.thread_id and ${readableBy(owner, 'threads.user_id')}
        and ${isListed(owner, 'threads.thread_id')} ${others}
      order by hit_id desc limit ${atOnce}
    ) as hits
    join threads on threads.thread_id = hits.thread_id
    left join run_events on run_events.thread_id = hits.thread_id and run_events.seq = hits.seq
    left join run_events as edits on edits.thread_id = hits.thread_id and edits.seq = ${SHOWN_REVISION}
    left join runs on runs.run_id = run_events.run_id
    order by hits.doc_id desc`.execute(db);
  return rows;
}

/** The index returns rows in descending order of their ids. SQLite keeps the order of a cross join. */
function fromFts({ match, below }: Position) {
  return sql`(
    select rowid as hit_id from search_words
    where search_words match ${match} and search_words.rowid < ${below} order by rowid desc limit -1
  ) as words cross join search_docs on search_docs.doc_id = words.hit_id`;
}

/**
 * Finds common words by checking the newest texts. The server cannot estimate which words occur in the same
 * texts, so the query does not let it choose between this and the index.
 */
function fromRecent({ match, below, titles }: Position, recent: number) {
  const kind = titles ? sql`seq is null` : sql`seq is not null`;
  return sql`(
    select doc_id, doc_id as hit_id, thread_id, seq, words from search_docs
    where ${kind} and doc_id < ${below} order by doc_id desc limit ${recent}
  ) as search_docs ${askedFor(match)}`;
}

/** Goes behind rows with their words. Only matching rows stay. */
function askedFor(match: string) {
  return sql`join (select ${match}::tsquery as query) as asked on search_docs.words @@ asked.query`;
}

/**
 * Finds rare words in the index. Without a limit inside, the server has no reason to walk through all texts.
 * The rows are sorted, so that only the threads of wanted rows are read.
 */
function fromWords({ match, below }: Position) {
  return sql`(
    select doc_id, doc_id + 0 as hit_id, thread_id, seq from search_docs
    where words @@ ${match}::tsquery and doc_id < ${below} order by hit_id desc offset 0
  ) as search_docs`;
}
