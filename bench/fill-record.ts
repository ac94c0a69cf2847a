// Fills a database with the record of one user: many threads, a million events, and the index of their words.
import { sql } from 'kysely';
import pg from 'pg';
import { createBulkStatement } from '../src/storage/sql/database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../src/storage/sql/database/database.ts';
import { openDatabase } from '../src/storage/sql/database/open-database.ts';
import type { Tables } from '../src/storage/sql/database/tables.ts';
import { createSearchEntries, type SearchEntry } from '../src/storage/sql/search/search-entries.ts';
import { indexMetadata } from '../src/storage/sql/search/thread-metadata.ts';
import { QUIET_LOG } from '../test/support/quiet-log.ts';
import { recordText } from './record-text.ts';

export interface RecordSize {
  readonly threads: number;
  /** About. */
  readonly events: number;
}

interface FillOrder extends RecordSize {
  readonly url: string;
  readonly userId: string;
  /** The number of the first thread; default 0. */
  readonly first?: number;
  /** Of each thread; by default one is long and most are short. */
  readonly turns?: number;
  readonly log: (text: string) => void;
}

const EVENTS_A_TURN = 8;
const THREADS_AT_ONCE = 200;
/** A transaction that idles while texts are generated for it is aborted. */
const TURNS_AT_ONCE = 500;
const LOG_EVERY = 20_000;
/** One thread in so many is long, one of those is longer. */
const LONG_EVERY = 100;
const LONG_TURNS = 22;
const LONGER_EVERY = 20_000;
const LONGER_TURNS = 1_000;
/** Fri, 01 Aug 2025; a thread every five minutes from then on. */
const BEGINNING = Date.UTC(2025, 7, 1);
const THREAD_EVERY_MS = 300_000;

/** A thread of 8,000 events, all of them of one run, for who wants to read pages of it. */
export const LONGEST = { threadId: threadIdOf(0), runId: runIdOf(0, 0) };

/** The schema exists, and no other process uses the database. */
export async function fillRecord(order: FillOrder): Promise<void> {
  const { url } = order;
  const database = await openDatabase(url, QUIET_LOG);
  try {
    const insert = createInserts(database);
    // Behind many others a few more are written as the service writes them.
    const isFirst = database.name === 'postgres' && (order.first ?? 0) === 0;
    const makeIndex = isFirst ? await withoutWordIndex(database) : undefined;
    await writeThreads(database, insert, order);
    await database.write((trx) => insert.usage(trx, usageOf(order.userId)));
    await makeIndex?.();
    if (isFirst) await analyze(url);
  } finally {
    await database.close();
  }
}

async function writeThreads(database: Database, insert: Inserts, order: FillOrder): Promise<void> {
  const { userId, threads, events, first = 0, turns, log } = order;
  const atOnce = turns === undefined ? THREADS_AT_ONCE : Math.ceil(TURNS_AT_ONCE / turns);
  let written = 0;
  for (let start = 0; start < threads; start += atOnce) {
    const made = Array.from({ length: Math.min(atOnce, threads - start) }, (_, index) => {
      const number = first + start + index;
      return madeThread(number, userId, turns ?? turnsOf(number, written, events));
    });
    await database.write(async (trx) => {
      for (const thread of made) await writeThread(trx, insert, thread);
      await insert.search.add(trx, made.flatMap(entriesOf));
    });
    written += made.reduce((sum, { texts }) => sum + texts.length * EVENTS_A_TURN, 0);
    if ((start + atOnce) % LOG_EVERY === 0) log(`${start + atOnce} threads, ${written} events`);
  }
}

/** A year of three models. */
function usageOf(userId: string) {
  return Array.from({ length: 366 * 3 }, (_, n) => {
    const day = new Date(BEGINNING + Math.floor(n / 3) * 86_400_000).toISOString().slice(0, 10);
    return [userId, day, `model ${n % 3}`, 'USD', 40, 90_000, 80_000, 0, 10_000, 1_000_000];
  });
}

interface MadeThread {
  readonly number: number;
  readonly userId: string;
  /** Of each turn. */
  readonly texts: readonly { readonly question: string; readonly answer: string }[];
}

function madeThread(number: number, userId: string, turns: number): MadeThread {
  const texts = Array.from({ length: turns }, (_, turn) => ({
    question: recordText(number * 3 + 1 + turn * 7_919, 18),
    answer: recordText(number * 3 + 2 + turn * 7_919, 45),
  }));
  return { number, userId, texts };
}

function threadIdOf(number: number): string {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

/** The turns of the longest threads are one run each, so that runs have pages, too. */
function runIdOf(number: number, turn: number): string {
  return number % LONGER_EVERY === 0 ? idOf(number, 0) : idOf(number, turn);
}

function idOf(number: number, turn: number): string {
  return `00000000-0000-7000-9${String(turn).padStart(3, '0')}-${String(number).padStart(12, '0')}`;
}

function turnsOf(number: number, written: number, events: number): number {
  if (written >= events) return 0;
  if (number % LONGER_EVERY === 0) return LONGER_TURNS;
  return number % LONG_EVERY === 0 ? LONG_TURNS : 1;
}

type Inserts = ReturnType<typeof createInserts>;

function createInserts(database: Database) {
  const { queries } = database;
  const of = <T extends 'threads' | 'runs' | 'run_events' | 'usage_days'>(
    into: T,
    columns: readonly (keyof Tables[T] & string)[],
  ) => {
    const row = sql`(${sql.join(columns.map(() => null))})`;
    const names = sql.join(columns.map((column) => sql.ref(column)));
    return createBulkStatement<never>(
      queries,
      row,
      (rows) => sql`insert into ${sql.table(into)} (${names}) values ${rows}`,
    );
  };
  return {
    threads: of('threads', [
      'thread_id',
      'user_id',
      'status',
      'last_seq',
      'created_at',
      'updated_at',
      'display_name',
      'metadata',
    ]),
    runs: of('runs', [
      'run_id',
      'thread_id',
      'user_id',
      'assistant_id',
      'status',
      'attempt',
      'multitask_strategy',
      'stop_reason',
      'created_at',
      'updated_at',
      'finished_at',
      'llm_call_count',
      'token_usage_by_model',
      'metadata',
      'kwargs',
      'frames_pruned',
    ]),
    events: of('run_events', [
      'thread_id',
      'seq',
      'run_id',
      'user_id',
      'event_type',
      'category',
      'created_at',
      'content_format',
      'metadata',
      'content',
    ]),
    usage: of('usage_days', [
      'user_id',
      'day',
      'model',
      'currency',
      'calls',
      'tokens',
      'input_tokens',
      'cached_input_tokens',
      'output_tokens',
      'cost_nanos',
    ]),
    search: createSearchEntries(database),
  };
}

async function writeThread(trx: WriteTransaction, insert: Inserts, thread: MadeThread): Promise<void> {
  const { number, userId, texts } = thread;
  const threadId = threadIdOf(number);
  const at = BEGINNING + number * THREAD_EVERY_MS;
  const metadata = { topic: `topic ${number % 50}`, project: number % 1_000, ticket: number };
  const [status = 'idle', ...ended] = ENDS[number % ENDS.length] ?? [];
  await insert.threads(trx, [
    [
      threadId,
      userId,
      status,
      texts.length * EVENTS_A_TURN,
      at,
      at + 60_000,
      titleOf(number),
      JSON.stringify(metadata),
    ],
  ]);
  await indexMetadata(trx, { threadId, userId }, metadata);
  const numbers = [...texts.keys()];
  const runs = number % LONGER_EVERY === 0 ? numbers.slice(0, 1) : numbers;
  const calls = numbers.length / Math.max(runs.length, 1);
  const usage = JSON.stringify({ bench: { ...NO_TOKENS, calls } });
  await insert.runs(
    trx,
    runs.map((turn) => {
      const [runStatus = 'success', reason = 'completed'] = ended;
      const run = [runIdOf(number, turn), threadId, userId, 'lead_agent', runStatus, 1, 'enqueue', reason];
      return [...run, at + turn, at + turn, at + turn, calls, usage, '{}', '{}', 1];
    }),
  );
  await insert.events(
    trx,
    numbers.flatMap((turn) => eventsOf(thread, turn, at)),
  );
}

/** The status of the thread, that of its runs, and why they ended. */
const ENDS = [
  ['idle', 'success', 'completed'],
  ['idle', 'success', 'completed'],
  ['idle', 'success', 'completed'],
  ['error', 'error', 'model_error'],
  ['interrupted', 'interrupted', 'interrupted_by_user'],
] as const;

const NO_TOKENS = { tokens: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, cost: {} };
const CALL = JSON.stringify({ caller: 'lead_agent', llm_call_index: 1, model: 'bench' });

function titleOf(number: number): string {
  return recordText(number * 3, 4);
}

/** The events of a turn without tools, with short traces: a million of them must fit on any disk. */
function eventsOf({ number, userId, texts }: MadeThread, turn: number, at: number) {
  const { question = '', answer = '' } = texts[turn] ?? {};
  const message = (type: string, content: string) =>
    JSON.stringify({ type, id: `${type}-${number}-${turn}`, content, name: null });
  const trace = JSON.stringify({ model: 'bench', usage: { prompt_tokens: number, completion_tokens: turn } });
  const rows = [
    ['human_message', 'message', message('human', question)],
    ['run_start', 'lifecycle', ''],
    ['llm_request', 'trace', trace],
    ['llm_response', 'trace', trace],
    ['tool_start', 'trace', trace],
    ['tool_end', 'trace', trace],
    ['ai_message', 'message', message('ai', answer)],
    ['run_end', 'lifecycle', ''],
  ] as const;
  return rows.map(([type, category, content], index) => {
    const seq = turn * EVENTS_A_TURN + index + 1;
    const format = content.startsWith('{') ? 'json' : 'text';
    const key = [threadIdOf(number), seq, runIdOf(number, turn), userId];
    const metadata = type === 'llm_response' ? CALL : '{}';
    return [...key, type, category, at + turn, format, metadata, content];
  });
}

function entriesOf({ number, userId, texts }: MadeThread): SearchEntry[] {
  const threadId = threadIdOf(number);
  const title = { threadId, userId, seq: null, text: titleOf(number) };
  const messages = texts.flatMap(({ question, answer }, turn) => [
    { threadId, userId, seq: turn * EVENTS_A_TURN + 1, text: question },
    { threadId, userId, seq: turn * EVENTS_A_TURN + 7, text: answer },
  ]);
  return [title, ...messages];
}

const WORD_INDEX = 'search_docs_words';

/** That index is rebuilt in one step at the end: entry by entry it takes half of the time. */
function withoutWordIndex(database: Database): Promise<() => Promise<void>> {
  return database.writePatiently(async (trx) => {
    const asked = sql<{ definition: string }>`
      select indexdef as definition from pg_indexes where indexname = ${WORD_INDEX}`;
    const { definition } = (await asked.execute(trx)).rows[0] ?? {};
    if (definition === undefined) throw new Error(`There is no index ${WORD_INDEX}.`);
    await sql.raw(`drop index ${WORD_INDEX}`).execute(trx);
    return () => database.writePatiently(async (later) => void (await sql.raw(definition).execute(later)));
  });
}

/** A Postgres server does this by itself a minute later. It has no time limit and runs outside of a transaction. */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}
