// Moves of a thread's head mark messages before and after the transaction that moves it, a few at a time.
import type { Migration } from './migration.ts';

export const headMoves: Migration = {
  number: 31,
  name: 'line moves',
  statements: [
    'alter table threads add column line_move text',
    'alter table threads add column line_moved integer not null default 0',
    'create index threads_line_moved on threads (thread_id) where line_moved = 1',
    'alter table run_events add column next_replaced integer',
    'alter table run_events add column next_revised_by bigint',
    'drop index run_events_conversation',
    `create index run_events_conversation on run_events (thread_id, seq)
      where category = 'message' and is_replaced = 0 and next_replaced is null`,
    // Hold rows while a move is under way, and none else.
    `create index run_events_staged on run_events (thread_id, seq) where next_replaced is not null`,
    `create index run_events_leaving on run_events (thread_id, seq)
      where category = 'message' and is_replaced = 0 and next_replaced is not null`,
    `create index run_events_coming on run_events (thread_id, seq)
      where category = 'message' and next_replaced = 0`,
  ],
};
