// Processes that execute runs have a row each, with the lease that every run had of its own before.
import type { Migration } from './migration.ts';

export const workers: Migration = {
  number: 39,
  name: 'workers',
  statements: [
    `create table workers (
      worker_id text not null primary key,
      lease_until bigint not null,
      flush bigint not null default 0,
      fenced integer not null default 0
    )`,
    `insert into workers (worker_id, lease_until)
      select lease_owner, max(coalesce(lease_until, 0)) from runs
      where status = 'running' and lease_owner is not null group by lease_owner`,
    'drop index runs_lease',
    'alter table runs drop column lease_until',
    `create index runs_held on runs (lease_owner) where status = 'running'`,
  ],
  // Only the service itself uses them: without a policy, owners cannot reach them.
  postgres: ['alter table workers enable row level security'],
};
