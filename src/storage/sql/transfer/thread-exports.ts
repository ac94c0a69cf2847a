// Exports of threads, in SQL. One short transaction decides what belongs to the package; the rows are read
// afterwards.
import { type SqlBool, sql } from 'kysely';
import type { WholeCheckpoint } from '../../checkpoints.ts';
import type { FeedbackRecord, FeedbackRepository } from '../../feedback.ts';
import { isTerminal, type RunRecord } from '../../runs.ts';
import { type Owner, type Repositories, UNSCOPED } from '../../storage.ts';
import type { ExportedEvent, ThreadCut, ThreadExports } from '../../thread-packages.ts';
import type { ThreadRecord } from '../../threads.ts';
import { toWholeCheckpoint } from '../checkpoints/checkpoint-rows.ts';
import { readablePages } from '../checkpoints/lineage.ts';
import { type AskedThread, lineageBefore } from '../checkpoints/seen-checkpoints.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { LEFT_BEHIND, REPEATED, SHOWN_MARK } from '../database/message-marks.ts';
import { isListed, readableBy, writableBy } from '../database/owner-filter.ts';
import { pagesOf } from '../database/page-of.ts';
import { allOf, isAny } from '../database/results.ts';
import type { RecordWriters } from '../messages/record-writers.ts';
import { type EventRow, toRunEvent } from '../messages/run-event-repository.ts';
import { toRun } from '../runs/run-rows.ts';
import { toThread } from '../threads/thread-rows.ts';

/** Few, because a row may be as large as a message. */
const ROWS_AT_ONCE = 16;
const RATINGS_AT_ONCE = 200;
const LEAST_EVENTS = 50;
const MOST_EVENTS = 200;
/** The number of characters that is enough for one read. */
const LONG = 500_000;

export function createThreadExports(
  database: Database,
  { feedback, headMoves }: Pick<Repositories, 'feedback'> & Pick<RecordWriters, 'headMoves'>,
  owner: Owner,
): ThreadExports {
  return {
    cut: async (threadId) => {
      // Then the record shows everything that was removed.
      await headMoves.settle(database, threadId);
      const contents = await database.write((trx) => readContents(database, trx, { owner, threadId }));
      if (contents === undefined) return undefined;
      const { thread, runIds, activeIds, checkpointIds, lastSeq } = contents;
      return {
        thread,
        leftOutRuns: activeIds.length,
        runs: () => readRuns(database, runIds),
        checkpoints: () => readCheckpoints(database, threadId, checkpointIds),
        feedback: () => readFeedback(feedback, { owner, threadId, runIds }),
        events: () => readEvents(database, { owner, threadId, lastSeq, without: new Set(activeIds) }),
      } satisfies ThreadCut;
    },

    threadIds: (after, limit) =>
      database.read((db) => {
        const own = db.selectFrom('threads').select('thread_id').where(writableBy(owner, 'user_id'));
        const lasting = own.where('temporary', '=', 0).where(isListed(owner, 'threads.thread_id'));
        const rest = after === undefined ? lasting : lasting.where('thread_id', '>', after);
        return allOf(rest.orderBy('thread_id').limit(limit), (row) => row.thread_id);
      }),

    exists: (threadId) =>
      database.read((db) => {
        const query = db.selectFrom('threads').select('thread_id').where('thread_id', '=', threadId);
        return isAny(query.where(readableBy(owner, 'user_id')));
      }),
  };
}

/** Locks the thread, so that no run begins, ends or reports in between. */
async function readContents(database: Database, trx: WriteTransaction, asked: AskedThread) {
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

/** Returns the state of the thread before the runs that have not ended. */
async function stateBefore(
  trx: WriteTransaction,
  thread: ThreadRecord,
  activeIds: readonly string[],
): Promise<Pick<ThreadRecord, 'headCheckpointId' | 'status'>> {
  let headCheckpointId = thread.headCheckpointId;
  while (headCheckpointId !== null) {
    // `former_head_id` is empty if the thread had no state: no checkpoint has that id.
    const found = await trx
      .selectFrom('checkpoints')
      .leftJoin('runs', 'runs.run_id', 'checkpoints.run_id')
      .select(['checkpoints.parent_id', 'checkpoints.run_id', 'tasks', 'former_head_id'])
      .where('checkpoint_id', '=', headCheckpointId)
      .executeTakeFirst();
    if (found === undefined) break;
    if (found.run_id === null || !activeIds.includes(found.run_id)) {
      return { headCheckpointId, status: found.tasks === '[]' ? 'idle' : 'interrupted' };
    }
    headCheckpointId = found.former_head_id ?? found.parent_id;
  }
  return { headCheckpointId: null, status: 'idle' };
}

/** Steps rise from parent to child, so that their order puts parents first. */
async function checkpointIdsOf(
  trx: WriteTransaction,
  asked: AskedThread,
  activeIds: readonly string[],
): Promise<readonly string[]> {
  const ended =
    activeIds.length === 0
      ? sql<SqlBool>`1 = 1`
      : sql<SqlBool>`(run_id is null or run_id not in (${sql.join(activeIds)}))`;
  const { rows } = await sql<{ checkpoint_id: string }>`
    with recursive ${lineageBefore(asked)}, seen (checkpoint_id, step) as (
      select checkpoint_id, step from checkpoints where thread_id = ${asked.threadId} and ${ended}
      union
      select checkpoint_id, step from line
    )
    select checkpoint_id from seen order by step, checkpoint_id`.execute(trx);
  return rows.map((row) => row.checkpoint_id);
}

async function* readRuns(database: Database, runIds: readonly string[]): AsyncGenerator<RunRecord> {
  for (const ids of pagesOf(runIds, ROWS_AT_ONCE)) {
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
): AsyncGenerator<WholeCheckpoint> {
  for (const some of pagesOf(checkpointIds, ROWS_AT_ONCE)) {
    for (const ids of readablePages(await sizesOf(database, some))) {
      const rows = await database.read((db) =>
        db
          .selectFrom('checkpoints')
          .selectAll()
          .where('checkpoint_id', 'in', ids)
          .orderBy('step')
          .orderBy('checkpoint_id')
          .execute(),
      );
      for (const row of rows) yield toWholeCheckpoint(row, threadId);
    }
  }
}

function sizesOf(database: Database, checkpointIds: readonly string[]) {
  return database.read(async (db) => {
    const { rows } = await sql<{ checkpoint_id: string; bytes: number }>`
      select checkpoint_id, octet_length(delta) + coalesce(octet_length(snapshot), 0) as bytes
      from checkpoints where checkpoint_id in (${sql.join(checkpointIds)})
      order by step, checkpoint_id`.execute(db);
    return rows;
  });
}

async function* readFeedback(
  feedback: FeedbackRepository,
  { owner, threadId, runIds }: AskedThread & { readonly runIds: readonly string[] },
): AsyncGenerator<FeedbackRecord> {
  for (const ids of pagesOf(runIds, RATINGS_AT_ONCE)) {
    const found = await feedback.list(threadId, ids);
    yield* found.filter(({ userId }) => userId === owner || owner === UNSCOPED);
  }
}

interface WantedEvents extends AskedThread {
  readonly lastSeq: number;
  readonly without: ReadonlySet<string>;
}

/** Reads more events at a time while they are short. */
async function* readEvents(database: Database, wanted: WantedEvents): AsyncGenerator<ExportedEvent> {
  let atOnce = LEAST_EVENTS;
  for (let after = 0; after < wanted.lastSeq; ) {
    const rows = await database.read((db) => eventsAfter(db, wanted, { after, limit: atOnce }));
    let length = 0;
    for (const row of rows) {
      after = row.seq;
      length += (row.text?.length ?? 0) + row.metadata.length;
      if (wanted.without.has(row.run_id)) continue;
      const { mark } = row;
      yield { ...toRunEvent(row), replaced: (mark & LEFT_BEHIND) !== 0, repeated: (mark & REPEATED) !== 0 };
    }
    if (rows.length < atOnce) return;
    atOnce = length > LONG ? LEAST_EVENTS : Math.min(atOnce * 2, MOST_EVENTS);
  }
}

/** Does not check whether the owner may read the thread. */
async function eventsAfter(
  db: Connection,
  { owner, threadId, lastSeq }: WantedEvents,
  { after, limit }: { readonly after: number; readonly limit: number },
) {
  const { rows } = await sql<EventRow & { readonly mark: number }>`
    select run_events.*, coalesce(run_events.content, trace_contents.content) as text, ${SHOWN_MARK} as mark
    from run_events join threads on threads.thread_id = run_events.thread_id
    left join trace_contents on trace_contents.thread_id = run_events.thread_id
      and trace_contents.content_key = run_events.content_key
    where run_events.thread_id = ${threadId} and run_events.seq > ${after} and run_events.seq <= ${lastSeq}
      and ${readableBy(owner, 'run_events.user_id')}
    order by run_events.seq limit ${limit}`.execute(db);
  return rows;
}
