// Selects the events of a page with index walks, none of them longer than the page.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { EventCursor, RunEventQuery } from '../../run-events.ts';
import type { Owner } from '../../storage.ts';
import { SHOWN_MARK } from '../database/message-marks.ts';
import { readableBy } from '../database/owner-filter.ts';

export interface EventPlaces extends RunEventQuery {
  readonly owner: Owner;
  readonly threadId: string;
  /**
   * Only messages that are part of the conversation: of a thread whose lineage is not being moved
   * (`resting`), or of any thread (`any`).
   */
  readonly conversation?: 'resting' | 'any';
}

/** Returns a query for whole rows of `run_events`, in paging order. */
export function eventPage(places: EventPlaces): RawBuilder<unknown> {
  const { runId, eventTypes, conversation } = places;
  // The walk follows the run and does not compare the thread. The caller compares it.
  const ofRun = sql<SqlBool>`run_events.run_id = ${runId}`;
  const ofThread = sql<SqlBool>`run_events.thread_id = ${places.threadId}`;
  if (conversation !== undefined) {
    const of = runId === undefined ? ofThread : ofRun;
    if (conversation === 'any') return movingPage(places, of);
    const unchanged = sql<SqlBool>`${of} and ${UNCHANGED} and ${within(places.cursor)}`;
    return conversationWalk(places, unchanged, SAID_NOW);
  }
  if (runId !== undefined) {
    const types = eventTypes === undefined ? TRUE : sql<SqlBool>`event_type in (${sql.join(eventTypes)})`;
    return walk(places, sql<SqlBool>`${ofRun} and ${types}`);
  }
  if (eventTypes === undefined) return walk(places, ofThread);
  // One index scan per type, merged into a page. The contents of other types are not read.
  const walks = eventTypes.map((type) => {
    const isThat = sql`${ofThread} and event_type = ${type} and ${FREQUENT.has(type) ? TRUE : IS_RARE}`;
    return sql`select * from (${walk(places, isThat, PLACE)}) as walk`;
  });
  return sql`select run_events.* from (
      select thread_id, seq from (${sql.join(walks, sql` union all `)}) as walks
      ${orderOf(places.cursor)} limit ${places.limit}
    ) as page join run_events on run_events.thread_id = page.thread_id and run_events.seq = page.seq`;
}

/** Types that every run records. One is always near, so the index of types omits them. */
const FREQUENT: ReadonlySet<string> = new Set([
  'run_start',
  'run_end',
  'human_message',
  'llm_request',
  'llm_response',
  'ai_message',
  'ai_tool_call',
  'tool_start',
  'tool_end',
  'tool_result',
]);

/** Must match the index definition literally, or the database does not use the index. */
export const IS_RARE = sql<SqlBool>`event_type not in (${sql.raw([...FREQUENT].map((type) => `'${type}'`).join(', '))})`;

const TRUE = sql<SqlBool>`1 = 1`;

const ROW = sql`run_events.*`;
const PLACE = sql`run_events.thread_id, run_events.seq`;

function walk(places: EventPlaces, where: RawBuilder<unknown>, columns = ROW): RawBuilder<unknown> {
  const { owner, cursor, limit } = places;
  return sql`select ${columns} from run_events where ${where} and ${within(cursor)}
    and ${readableBy(owner, 'run_events.user_id')} ${orderOf(cursor)} limit ${limit}`;
}

/**
 * Walks the messages that the move of the lineage leaves unchanged, and the changed ones as they were before
 * the move or as they are after it. One of the latter two walks always finds nothing. The page is the first
 * rows of all walks.
 */
function movingPage(places: EventPlaces, of: RawBuilder<SqlBool>): RawBuilder<unknown> {
  const { cursor, limit, threadId } = places;
  const below = cursor.kind === 'before' ? cursor.seq : Number.MAX_SAFE_INTEGER;
  const whenMoved = (moved: 0 | 1) => sql<number>`(
    select case line_moved when ${sql.lit(moved)} then cast(${below} as bigint) else -1 end
    from threads where threads.thread_id = ${threadId}
  )`;
  const walks = [
    conversationWalk(places, sql<SqlBool>`${of} and ${UNCHANGED} and seq < ${below}`, SAID_NOW),
    conversationWalk(places, sql<SqlBool>`${of} and ${LEAVING} and seq < ${whenMoved(0)}`, SAID_NOW),
    conversationWalk(places, sql<SqlBool>`${of} and ${COMING} and seq < ${whenMoved(1)}`, SAID_NEXT),
  ].map((each) => sql`select * from (${each}) as walk`);
  return sql`select * from (${sql.join(walks, sql` union all `)}) as run_events
    ${orderOf(cursor)} limit ${limit}`;
}

/** Must match the index definitions literally, or the database does not use the indexes. */
const UNCHANGED = sql<SqlBool>`run_events.category = 'message' and run_events.is_replaced = 0
  and run_events.next_replaced is null`;
const LEAVING = sql<SqlBool>`run_events.category = 'message' and run_events.is_replaced = 0
  and run_events.next_replaced is not null`;
const COMING = sql<SqlBool>`run_events.category = 'message' and run_events.next_replaced = 0`;

const SAID_NOW = sql.ref('run_events.revised_by');
const SAID_NEXT = sql.ref('run_events.next_revised_by');

function conversationWalk(
  { owner, cursor, limit }: EventPlaces,
  where: RawBuilder<SqlBool>,
  shown: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const after = cursor.kind === 'after' ? within(cursor) : TRUE;
  return sql`select run_events.*, ${shown} as shown_revision
    from run_events join runs on runs.run_id = run_events.run_id
    where ${where} and ${after} and ${IS_KEPT}
    and ${readableBy(owner, 'run_events.user_id')} ${orderOf(cursor)} limit ${limit}`;
}

/** Condition on a run. */
const IS_KEPT = sql<SqlBool>`coalesce(runs.stop_reason, '') not in ('rolled_back', 'replaced')`;

/** Condition on a row of `run_events` joined with its run and its thread. */
export const IN_CONVERSATION = sql<SqlBool>`run_events.category = 'message' and ${SHOWN_MARK} = 0 and ${IS_KEPT}`;

function within(cursor: EventCursor): RawBuilder<SqlBool> {
  switch (cursor.kind) {
    case 'newest':
      return TRUE;
    case 'before':
      return sql`seq < ${cursor.seq}`;
    case 'after':
      return sql`seq > ${cursor.seq}`;
  }
}

function orderOf({ kind }: EventCursor): RawBuilder<unknown> {
  return kind === 'after' ? sql`order by seq asc` : sql`order by seq desc`;
}
