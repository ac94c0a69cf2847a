// What is left to do of a deletion once the rows of the thread are gone.
import type { Migration } from './migration.ts';

export const threadRemovals: Migration = {
  number: 4,
  name: 'thread removals',
  statements: [
    `create table thread_removals (
      thread_id text primary key,
      user_id text,
      taken_until bigint not null
    )`,
    'create index thread_removals_due on thread_removals (taken_until, thread_id)',
  ],
};
