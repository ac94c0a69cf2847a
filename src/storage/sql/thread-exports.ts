// Threads for a package, in SQL: one short transaction decides what belongs to it, the rows are read afterwards.
import { type SqlBool, sql } from 'kysely';
import type { CheckpointRecord } from '../checkpoints.ts';
import type { FeedbackRecord, FeedbackRepository } from '../feedback.ts';
import type { RunEventRepository } from '../run-events.ts';
import { isTerminal, type RunRecord } from '../runs.ts';
import { type Owner, type Repositories, UNSCOPED } from '../storage.ts';
import type { ExportedEvent, ThreadCut, ThreadExports } from '../thread-exports.ts';
import type { ThreadRecord } from '../threads.ts';
import { toCheckpoint } from './checkpoint-rows.ts';
import type { Database, WriteTransaction } from './database.ts';
import { LEFT_BEHIND, REPEATED } from './message-marks.ts';
import { readableBy, writableBy } from './owner-filter.ts';
import { toRun } from './run-rows.ts';
import { lineBefore } from './seen-checkpoints.ts';
import { toThread } from './thread-rows.ts';

/** Rows may be as large as a message: few at a time. */
const ROWS_AT_ONCE = 16;
const EVENTS_AT_ONCE = 50;

export function createThreadExports(
  database: Database,
  { runEvents, feedback }: Pick<Repositories, 'runEvents' | 'feedback'>,
  owner: Owner,
): ThreadExports {
  return {
    cut: async (threadId) => {
      const contents = await database.write((trx) => readContents(database, trx, { owner, threadId }));
      if (contents === undefined) return undefined;
      const { thread, runIds, activeIds, checkpointIds, lastSeq } = contents;
      return {
        thread,
        leftOutRuns: activeIds.length,
        runs: () => readRuns(database, runIds),
        checkpoints: () => readCheckpoints(database, threadId, checkpointIds),
        feedback: () => readFeedback(feedback, { owner, threadId, runIds }),
        events: () => readEvents(database, runEvents, { threadId, lastSeq, without: new Set(activeIds) }),
      } satisfies ThreadCut;
    },

    threadIds: (after, limit) =>
      database.read(async (db) => {
        const own = db.selectFrom('threads').select('thread_id').where(writableBy(owner, 'user_id'));
        const lasting = own.where('temporary', '=', 0);
        const rest = after === undefined ? lasting : lasting.where('thread_id', '>', after);
        const rows = await rest.orderBy('thread_id').limit(limit).execute();
        return rows.map((row) => row.thread_id);
      }),

    exists: (threadId) =>
      database.read(async (db) => {
        const query = db.selectFrom('threads').select('thread_id').where('thread_id', '=', threadId);
        return (await query.where(readableBy(owner, 'user_id')).executeTakeFirst()) !== undefined;
      }),
  };
}

interface Contents {
  readonly thread: ThreadRecord;
  readonly runIds: readonly string[];
  readonly activeIds: readonly string[];
  readonly checkpointIds: readonly string[];
  readonly lastSeq: number;
}

interface Asked {
  readonly owner: Owner;
  readonly threadId: string;
}

/** The thread stays locked, so that no run begins, ends or reports in between. */
async function readContents(
  database: Database,
  trx: WriteTransaction,
  asked: Asked,
): Promise<Contents | undefined> {
  const query = trx.selectFrom('threads').selectAll().where('thread_id', '=', asked.threadId);
  const row = await database.locked(query).where(readableBy(asked.owner, 'user_id')).executeTakeFirst();
  if (row === undefined) return undefined;
  const runs = await trx
    .selectFrom('runs')
    .select(['run_id', 'status'])
    .where('thread_id', '=', asked.threadId)
    .where(readableBy(asked.owner, 'user_id'))
    .orderBy('created_at')
    .orderBy('run_id')
    .execute();
  const activeIds = runs.filter(({ status }) => !isTerminal(status)).map((run) => run.run_id);
  const runIds = runs.filter(({ status }) => isTerminal(status)).map((run) => run.run_id);
  const thread = toThread(row);
  return {
    thread: activeIds.length === 0 ? thread : { ...thread, ...(await stateBefore(trx, thread, activeIds)) },
    runIds,
    activeIds,
    checkpointIds: await checkpointIdsOf(trx, asked, activeIds),
    lastSeq: row.last_seq,
  };
}

/** Where the thread stood before the runs that have not ended. */
async function stateBefore(
  trx: WriteTransaction,
  thread: ThreadRecord,
  activeIds: readonly string[],
): Promise<Pick<ThreadRecord, 'headCheckpointId' | 'status'>> {
  let headCheckpointId = thread.headCheckpointId;
  while (headCheckpointId !== null) {
    const query = trx.selectFrom('checkpoints').select(['parent_id', 'run_id', 'tasks']);
    const found = await query.where('checkpoint_id', '=', headCheckpointId).executeTakeFirst();
    if (found === undefined) break;
    if (found.run_id === null || !activeIds.includes(found.run_id)) {
      return { headCheckpointId, status: found.tasks === '[]' ? 'idle' : 'interrupted' };
    }
    headCheckpointId = (await formerHead(trx, found.run_id)) ?? found.parent_id;
  }
  return { headCheckpointId: null, status: 'idle' };
}

/** Where the thread stood before a run that began elsewhere. */
async function formerHead(trx: WriteTransaction, runId: string): Promise<string | undefined> {
  const run = trx.selectFrom('runs').select('former_head_id').where('run_id', '=', runId);
  // Empty for a thread that had no state: no checkpoint has that id.
  return (await run.executeTakeFirst())?.former_head_id ?? undefined;
}

/** Steps rise from parent to child, so that their order puts parents first. */
async function checkpointIdsOf(
  trx: WriteTransaction,
  asked: Asked,
  activeIds: readonly string[],
): Promise<readonly string[]> {
  const ended =
    activeIds.length === 0
      ? sql<SqlBool>`1 = 1`
      : sql<SqlBool>`(run_id is null or run_id not in (${sql.join([...activeIds])}))`;
  const { rows } = await sql<{ checkpoint_id: string }>`
    with recursive ${lineBefore(asked)}, seen (checkpoint_id, step) as (
      select checkpoint_id, step from checkpoints where thread_id = ${asked.threadId} and ${ended}
      union
      select checkpoint_id, step from line
    )
    select checkpoint_id from seen order by step, checkpoint_id`.execute(trx);
  return rows.map((row) => row.checkpoint_id);
}

async function* readRuns(database: Database, runIds: readonly string[]): AsyncGenerator<RunRecord> {
  for (const ids of slices(runIds)) {
    const rows = await database.read((db) =>
      db
        .selectFrom('runs')
        .selectAll()
        .where('run_id', 'in', ids)
        .orderBy('created_at')
        .orderBy('run_id')
        .execute(),
    );
    yield* rows.map(toRun);
  }
}

async function* readCheckpoints(
  database: Database,
  threadId: string,
  checkpointIds: readonly string[],
): AsyncGenerator<CheckpointRecord> {
  for (const ids of slices(checkpointIds)) {
    const rows = await database.read((db) =>
      db
        .selectFrom('checkpoints')
        .selectAll()
        .where('checkpoint_id', 'in', ids)
        .orderBy('step')
        .orderBy('checkpoint_id')
        .execute(),
    );
    for (const row of rows) yield toCheckpoint(row, threadId);
  }
}

async function* readFeedback(
  feedback: FeedbackRepository,
  { owner, threadId, runIds }: Asked & { readonly runIds: readonly string[] },
): AsyncGenerator<FeedbackRecord> {
  for (const ids of slices(runIds)) {
    const found = await feedback.list(threadId, ids);
    yield* found.filter(({ userId }) => userId === owner || owner === UNSCOPED);
  }
}

interface WantedEvents {
  readonly threadId: string;
  readonly lastSeq: number;
  readonly without: ReadonlySet<string>;
}

async function* readEvents(
  database: Database,
  runEvents: RunEventRepository,
  { threadId, lastSeq, without }: WantedEvents,
): AsyncGenerator<ExportedEvent> {
  for (let seq = 0; seq < lastSeq; ) {
    const page = await runEvents.list(threadId, { cursor: { kind: 'after', seq }, limit: EVENTS_AT_ONCE });
    const last = page.events.at(-1)?.seq ?? lastSeq;
    const marks = await marksOf(database, threadId, { after: seq, last });
    for (const event of page.events) {
      if (event.seq > lastSeq || without.has(event.runId)) continue;
      const mark = marks.get(event.seq) ?? 0;
      yield { ...event, replaced: (mark & LEFT_BEHIND) !== 0, repeated: (mark & REPEATED) !== 0 };
    }
    if (!page.hasMore) return;
    seq = last;
  }
}

async function marksOf(
  database: Database,
  threadId: string,
  { after, last }: { readonly after: number; readonly last: number },
): Promise<ReadonlyMap<number, number>> {
  const rows = await database.read((db) =>
    db
      .selectFrom('run_events')
      .select(['seq', 'is_replaced'])
      .where('thread_id', '=', threadId)
      .where('seq', '>', after)
      .where('seq', '<=', last)
      .where('is_replaced', '!=', 0)
      .execute(),
  );
  return new Map(rows.map((row) => [row.seq, row.is_replaced]));
}

function* slices(ids: readonly string[]): Generator<readonly string[]> {
  for (let first = 0; first < ids.length; first += ROWS_AT_ONCE) yield ids.slice(first, first + ROWS_AT_ONCE);
}
