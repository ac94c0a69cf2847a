// Which events make a page: found by walks along indexes, none of them longer than the page.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { EventCursor } from '../run-events.ts';
import type { Owner } from '../storage.ts';
import { readableBy } from './owner-filter.ts';

interface EventPlaces {
  readonly owner: Owner;
  readonly threadId: string;
  readonly runId: string | undefined;
  readonly eventTypes: readonly string[] | undefined;
  /** Messages only, without those that are no part of the conversation any more. */
  readonly conversation: boolean;
  readonly cursor: EventCursor;
  /** How many rows at most. */
  readonly limit: number;
}

/** A query of whole rows of `run_events`, in the direction of the paging. */
export function eventPage(places: EventPlaces): RawBuilder<unknown> {
  const { runId, eventTypes, conversation } = places;
  if (runId !== undefined) {
    // Without the thread: the walk is along the run. Whoever joins this compares the thread.
    const types = eventTypes === undefined ? TRUE : sql<SqlBool>`event_type in (${sql.join(eventTypes)})`;
    return walk(places, sql<SqlBool>`run_events.run_id = ${runId} and ${types}`);
  }
  const ofThread = sql<SqlBool>`run_events.thread_id = ${places.threadId}`;
  if (eventTypes === undefined || conversation) return walk(places, ofThread);
  // One walk for each type, and the page is the best of them. The contents of the others are not looked at.
  const walks = eventTypes.map((type) => {
    const isThat = sql`${ofThread} and event_type = ${type} and ${FREQUENT.has(type) ? TRUE : IS_RARE}`;
    return sql`select * from (${walk(places, isThat, PLACE)}) as walk`;
  });
  return sql`select run_events.* from (
      select thread_id, seq from (${sql.join(walks, sql` union all `)}) as walks
      ${orderOf(places.cursor)} limit ${places.limit}
    ) as page join run_events on run_events.thread_id = page.thread_id and run_events.seq = page.seq`;
}

/** What every run records: one of them is near wherever one looks, and not in the index of types. */
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

/** Literally what the index is made of, or it is not used. */
export const IS_RARE = sql<SqlBool>`event_type not in (${sql.raw([...FREQUENT].map((type) => `'${type}'`).join(', '))})`;

const TRUE = sql<SqlBool>`1 = 1`;

const ROW = sql`run_events.*`;
const PLACE = sql`run_events.thread_id, run_events.seq`;

function walk(places: EventPlaces, where: RawBuilder<unknown>, columns = ROW): RawBuilder<unknown> {
  const { owner, cursor, limit, conversation } = places;
  const runs = conversation ? sql`join runs on runs.run_id = run_events.run_id` : sql``;
  return sql`select ${columns} from run_events ${runs}
    where ${where} and ${conversation ? IN_CONVERSATION : TRUE} and ${within(cursor)}
    and ${readableBy(owner, 'run_events.user_id')} ${orderOf(cursor)} limit ${limit}`;
}

/** On a row of `run_events` joined with its run. Literals, so that the partial index is used. */
export const IN_CONVERSATION = sql<SqlBool>`run_events.category = 'message' and run_events.is_replaced = 0
  and coalesce(runs.stop_reason, '') not in ('rolled_back', 'replaced')`;

function within(cursor: EventCursor): RawBuilder<SqlBool> {
  switch (cursor.kind) {
    case 'newest':
      return TRUE;
    case 'before':
      return sql`seq < ${cursor.seq}`;
    case 'after':
      return sql`seq > ${cursor.seq}`;
    default:
      return cursor satisfies never;
  }
}

function orderOf({ kind }: EventCursor): RawBuilder<unknown> {
  return kind === 'after' ? sql`order by seq asc` : sql`order by seq desc`;
}
