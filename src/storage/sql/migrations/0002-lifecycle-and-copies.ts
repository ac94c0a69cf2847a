// Runs that start later, are cancelled, repeated or pruned; threads that are copies.
import type { Migration } from './migration.ts';

const RUNS = [
  'alter table runs add column start_after bigint',
  'alter table runs add column cancel_action text',
  'alter table runs add column cancel_stop_reason text',
  'alter table runs add column frames_pruned integer not null default 0',
  // Runs that ended before they were taken up have no stream to prune.
  `update runs set frames_pruned = 1 where finished_at is not null
    and not exists (select 1 from run_frames where run_frames.run_id = runs.run_id)`,
  `create index runs_start_after on runs (start_after) where status = 'pending' and start_after is not null`,
  'create index runs_unpruned on runs (finished_at, run_id) where finished_at is not null and frames_pruned = 0',
];

/** The key is taken before its run is inserted, so that of two admissions one waits for the other. */
const IDEMPOTENCY = [
  `create table idempotency_keys (
    user_id text not null,
    key text not null,
    run_id text not null references runs (run_id) on delete cascade deferrable initially deferred,
    created_at bigint not null,
    primary key (user_id, key)
  )`,
  'create index idempotency_keys_run on idempotency_keys (run_id)',
];

const COPIES = [
  'alter table threads add column copied_from_checkpoint_id text',
  'alter table threads add column copy_family text',
  'create index threads_copies on threads (copy_family, thread_id) where copy_family is not null',
];

export const lifecycleAndCopies: Migration = {
  number: 2,
  name: 'lifecycle and copies',
  statements: [...RUNS, ...IDEMPOTENCY, ...COPIES],
};
