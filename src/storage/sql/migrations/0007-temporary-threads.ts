// Threads that were made for one run and go with it, also when the process that ran it dies.
import type { Migration } from './migration.ts';

export const temporaryThreads: Migration = {
  number: 7,
  name: 'temporary threads',
  statements: [
    'alter table threads add column temporary integer not null default 0',
    'create index threads_temporary on threads (updated_at, thread_id) where temporary = 1',
  ],
};
