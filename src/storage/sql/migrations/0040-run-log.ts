// What runs have said since it was last sorted into their own rows: one row for all runs of a process and a flush.
import type { Migration } from './migration.ts';

export const runLog: Migration = {
  number: 40,
  name: 'run-log',
  statements: [
    `create table run_log (
      worker_id text not null,
      flush bigint not null,
      pieces text not null,
      primary key (worker_id, flush)
    )`,
    'alter table workers add column lost text',
  ],
  // Without a policy no owner sees a row: they are of several.
  postgres: ['alter table run_log enable row level security'],
};
