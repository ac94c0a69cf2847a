// What people think of answers; which messages a branch has replaced; events of a thread by their type.
import type { Migration } from './migration.ts';

const FEEDBACK = [
  `create table feedback (
    feedback_id text primary key,
    thread_id text not null references threads (thread_id) on delete cascade,
    run_id text not null references runs (run_id) on delete cascade,
    user_id text not null,
    message_id text,
    rating integer not null,
    comment text,
    created_at bigint not null
  )`,
  // Decides between two windows of one person.
  'create unique index feedback_once on feedback (thread_id, run_id, user_id)',
  'create index feedback_run on feedback (run_id)',
];

const EVENTS = [
  'alter table run_events add column is_replaced integer not null default 0',
  'create index run_events_type on run_events (thread_id, event_type, seq)',
  `create index run_events_conversation on run_events (thread_id, seq)
    where category = 'message' and is_replaced = 0`,
];

export const record: Migration = { number: 12, name: 'record', statements: [...FEEDBACK, ...EVENTS] };
