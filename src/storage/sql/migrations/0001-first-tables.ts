// Users, threads, runs with their events and frames, checkpoints.
import type { Migration } from './migration.ts';

const USERS = [
  `create table users (
    id text primary key,
    email text not null,
    email_key text not null,
    password_hash text,
    system_role text not null,
    needs_setup integer not null,
    token_version integer not null,
    oauth_provider text,
    oauth_id text,
    created_at bigint not null
  )`,
  'create unique index users_email on users (email_key)',
  'create unique index users_oauth on users (oauth_provider, oauth_id) where oauth_id is not null',
];

const THREADS = [
  `create table threads (
    thread_id text primary key,
    user_id text,
    status text not null,
    assistant_id text,
    head_checkpoint_id text,
    last_seq bigint not null default 0,
    created_at bigint not null,
    updated_at bigint not null,
    display_name text,
    metadata text not null
  )`,
  'create index threads_updated on threads (user_id, updated_at, thread_id)',
  'create index threads_created on threads (user_id, created_at, thread_id)',
  'create index threads_status on threads (user_id, status, updated_at, thread_id)',
  `create table thread_metadata (
    thread_id text not null references threads (thread_id) on delete cascade,
    entry_hash text not null,
    primary key (thread_id, entry_hash)
  )`,
  'create index thread_metadata_entry on thread_metadata (entry_hash, thread_id)',
];

const RUNS = [
  `create table runs (
    run_id text primary key,
    thread_id text not null references threads (thread_id) on delete cascade,
    user_id text,
    assistant_id text not null,
    status text not null,
    attempt integer not null,
    lease_owner text,
    lease_until bigint,
    multitask_strategy text not null,
    follow_up_to_run_id text,
    base_checkpoint_id text,
    stop_reason text,
    created_at bigint not null,
    updated_at bigint not null,
    started_at bigint,
    finished_at bigint,
    total_input_tokens bigint not null default 0,
    total_output_tokens bigint not null default 0,
    total_tokens bigint not null default 0,
    llm_call_count bigint not null default 0,
    lead_agent_tokens bigint not null default 0,
    subagent_tokens bigint not null default 0,
    middleware_tokens bigint not null default 0,
    message_count bigint not null default 0,
    token_usage_by_model text not null,
    error text,
    metadata text not null,
    kwargs text not null
  )`,
  'create index runs_thread on runs (thread_id, created_at, run_id)',
  `create index runs_active on runs (thread_id, created_at, run_id) where status in ('pending', 'running')`,
  `create index runs_pending on runs (created_at, run_id) where status = 'pending'`,
  `create index runs_lease on runs (lease_until) where status = 'running'`,
  // At most one run of a thread executes, whatever the program believes.
  `create unique index runs_one_running on runs (thread_id) where status = 'running'`,
];

const EVENTS = [
  `create table run_events (
    thread_id text not null references threads (thread_id) on delete cascade,
    seq bigint not null,
    run_id text not null,
    user_id text,
    event_type text not null,
    category text not null,
    created_at bigint not null,
    content_format text not null,
    content_key text,
    metadata text not null,
    content text,
    primary key (thread_id, seq)
  )`,
  'create index run_events_run on run_events (run_id, seq)',
  `create table trace_contents (
    thread_id text not null references threads (thread_id) on delete cascade,
    content_key text not null,
    content text not null,
    primary key (thread_id, content_key)
  )`,
  `create table run_frames (
    run_id text not null references runs (run_id) on delete cascade,
    first_seq bigint not null,
    last_seq bigint not null,
    attempt integer not null,
    events text not null,
    primary key (run_id, first_seq)
  )`,
];

/** No foreign keys: a checkpoint may outlive its thread as the ancestor of a copy. */
const CHECKPOINTS = [
  `create table checkpoints (
    checkpoint_id text primary key,
    thread_id text not null,
    parent_id text,
    run_id text,
    step integer not null,
    source text not null,
    node text,
    fold_bytes bigint not null,
    created_at bigint not null,
    next text not null,
    tasks text not null,
    metadata text not null,
    delta text not null,
    snapshot text
  )`,
  'create index checkpoints_thread on checkpoints (thread_id, created_at, step, checkpoint_id)',
];

const PROBES = ['create table write_probes (id integer primary key, written_at bigint not null)'];

export const firstTables: Migration = {
  number: 1,
  name: 'first tables',
  statements: [...USERS, ...THREADS, ...RUNS, ...EVENTS, ...CHECKPOINTS, ...PROBES],
};
