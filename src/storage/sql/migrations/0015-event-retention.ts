// How far the removal of old run events came, and the order in which it goes.
import type { Migration } from './migration.ts';

export const eventRetention: Migration = {
  number: 15,
  name: 'event retention',
  statements: [
    `create table event_retention (
      kind text primary key,
      finished_at bigint not null,
      run_id text not null
    )`,
    'create index runs_finished on runs (finished_at, run_id) where finished_at is not null',
  ],
};
