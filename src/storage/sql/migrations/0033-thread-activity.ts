// When something last happened in a thread, apart from its last change: a new title is a change, and no activity.
import type { Migration } from './migration.ts';

export const threadActivity: Migration = {
  number: 33,
  name: 'thread activity',
  statements: [
    'alter table threads add column state_updated_at bigint not null default 0',
    'update threads set state_updated_at = updated_at',
    'create index threads_activity on threads (user_id, state_updated_at, thread_id)',
  ],
};
