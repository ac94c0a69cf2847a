// What people have the agent do at set times, and what became of each of these times.
import { guarded, type Migration } from './migration.ts';

export const schedules: Migration = {
  number: 37,
  name: 'schedules',
  statements: [
    `create table schedules (
      schedule_id text not null primary key,
      user_id text not null,
      name text not null,
      prompt text not null,
      assistant_id text not null,
      model text,
      cron text,
      run_at bigint,
      timezone text not null,
      thread_id text,
      missed text not null,
      webhook text,
      paused_because text,
      next_run_at bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index schedules_owner on schedules (user_id, created_at, schedule_id)',
    'create index schedules_due on schedules (next_run_at) where next_run_at is not null',
    'create index schedules_thread on schedules (thread_id) where thread_id is not null',
    `create table schedule_fires (
      schedule_id text not null references schedules (schedule_id) on delete cascade,
      slot bigint not null,
      user_id text not null,
      is_manual integer not null,
      status text not null,
      reason text,
      detail text,
      run_id text,
      thread_id text,
      run_status text,
      created_at bigint not null,
      ended_at bigint,
      attempts integer not null,
      next_at bigint not null,
      leased_until bigint not null,
      primary key (schedule_id, slot)
    )`,
    'create index schedule_fires_owner on schedule_fires (user_id)',
    'create index schedule_fires_thread on schedule_fires (thread_id) where thread_id is not null',
    `create index schedule_fires_waiting on schedule_fires (next_at) where status = 'waiting'`,
    `create index schedule_fires_started on schedule_fires (schedule_id, slot) where status = 'started'`,
    `create index webhook_deliveries_failed on webhook_deliveries (user_id, updated_at, run_id) where status = 'failed'`,
  ],
  postgres: [...guarded('schedules'), ...guarded('schedule_fires')],
};
