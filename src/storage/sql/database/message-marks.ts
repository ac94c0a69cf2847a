// Why a message is not in the conversation: the bits of `run_events.is_replaced`, and which of two columns says so.
import { type RawBuilder, sql } from 'kysely';

/** A run or a state update from an older checkpoint went on without it. */
export const LEFT_BEHIND = 1;
/** A state update took it out. */
export const REMOVED = 2;
/** A run said again what was there already. */
export const REPEATED = 4;
/** In `next_replaced` only: the message is removed, and the event that records this has yet to be written. */
export const UNLOGGED = 8;

/** A later event about a message; never listed itself, so it is `LEFT_BEHIND` from the start. */
export const REVISION_EVENTS = ['message_edited', 'message_removed'] as const;

/** The bits that count now, on a row of `run_events` joined with its thread. */
export const SHOWN_MARK: RawBuilder<number> = sql<number>`case when threads.line_moved = 1
  then coalesce(run_events.next_replaced, run_events.is_replaced) else run_events.is_replaced end`;

/** The `seq` of what is said in the place of the message now, on the same rows. */
export const SHOWN_REVISION: RawBuilder<number | null> = sql<number | null>`case
  when threads.line_moved = 1 and run_events.next_replaced is not null
  then run_events.next_revised_by else run_events.revised_by end`;
