// Which run of a thread is the first in its queue: nobody has to compare it with all that wait.
import type { Migration } from './migration.ts';

/** May be taken up; each of these indexes has the runs that may be, and none that waits behind another. */
const STARTABLE = `status = 'pending' and is_first = 1`;

export const runQueues: Migration = {
  number: 42,
  name: 'run queues',
  statements: [
    // Null for runs that have ended, and for delayed ones until somebody finds that they are due.
    'alter table runs add column is_first integer',
    `update runs set is_first = 0
      where status = 'running' or (status = 'pending' and start_after is null)`,
    `update runs set is_first = 1 where run_id in (
      select run_id from (
        select run_id, row_number() over (
          partition by thread_id order by case status when 'running' then 0 else 1 end, created_at, run_id
        ) as place
        from runs where is_first = 0
      ) as queued where place = 1
    )`,
    'create index runs_queued on runs (thread_id, is_first, created_at, run_id) where is_first is not null',
    'drop index runs_start_after',
    `create index runs_delayed on runs (start_after) where status = 'pending' and is_first is null`,
    'drop index runs_pending',
    `create index runs_startable on runs (created_at, run_id) where ${STARTABLE}`,
    `create index runs_startable_of on runs (user_id, created_at, run_id) where ${STARTABLE}`,
    // Few, and looked for among all others: those that are only to be ended, and those that were taken up before.
    `create index runs_startable_apart on runs (created_at, run_id)
      where ${STARTABLE} and (cancel_stop_reason is not null or attempt > 0)`,
  ],
  postgres: [
    // Owners have no way to the table, and claim runs as they are admitted. Locked against being fenced.
    `create function worker_lives(id text) returns boolean language sql volatile security definer
      set search_path from current as
      $$ select exists (select 1 from workers where worker_id = id and fenced = 0 for key share) $$`,
  ],
};
