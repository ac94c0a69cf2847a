// Why a message is not in the conversation: the bits of `run_events.is_replaced`, and which of two columns
// holds them.
import { type RawBuilder, sql } from 'kysely';

/** A run or a state update from an older checkpoint continued without it. */
export const LEFT_BEHIND = 1;
/** A state update removed it. */
export const REMOVED = 2;
/** A run repeated a message that existed before. */
export const REPEATED = 4;
/** In `next_replaced` only: the message is removed, and the event that records this is not written yet. */
export const UNLOGGED = 8;

/** Types of later events about a message. They are never listed, so they are `LEFT_BEHIND` from the start. */
export const REVISION_EVENTS = ['message_edited', 'message_removed'] as const;

/** The current bits, on a row of `run_events` joined with its thread. */
export const SHOWN_MARK: RawBuilder<number> = sql<number>`case when threads.line_moved = 1
  then coalesce(run_events.next_replaced, run_events.is_replaced) else run_events.is_replaced end`;

/** The `seq` of the event that now replaces the message, on the same rows. */
export const SHOWN_REVISION: RawBuilder<number | null> = sql<number | null>`case
  when threads.line_moved = 1 and run_events.next_replaced is not null
  then run_events.next_revised_by else run_events.revised_by end`;
