// Where the numbers of a run's events begin among those of its thread, whatever the clock said. Runs that were there
// keep the numbers that their readers have seen.
import type { Migration } from './migration.ts';

export const runNumbers: Migration = {
  number: 25,
  name: 'run numbers',
  statements: [
    'alter table runs add column numbers_from bigint',
    'update runs set numbers_from = coalesce(started_at, finished_at)',
    'create index runs_numbers on runs (thread_id, numbers_from) where numbers_from is not null',
  ],
};
