// The tables as Kysely sees them. Times are epoch milliseconds, flags 0 or 1, JSON is text.
import type { CheckpointSource } from '../checkpoints.ts';
import type { RunEventCategory } from '../run-events.ts';
import type { MultitaskStrategy, RunCancel, RunStatus, StopReason } from '../runs.ts';
import type { ThreadStatus } from '../threads.ts';
import type { SystemRole } from '../users.ts';
import type { PackedText } from './packed-text.ts';

export interface UsersTable {
  id: string;
  email: string;
  /** The e-mail in lower case; unique. */
  email_key: string;
  password_hash: string | null;
  system_role: SystemRole;
  needs_setup: number;
  token_version: number;
  oauth_provider: string | null;
  oauth_id: string | null;
  created_at: number;
}

export interface ThreadsTable {
  thread_id: string;
  user_id: string | null;
  display_name: string | null;
  status: ThreadStatus;
  metadata: string;
  assistant_id: string | null;
  head_checkpoint_id: string | null;
  /** The highest `seq` that a run event of this thread has. */
  last_seq: number;
  created_at: number;
  updated_at: number;
  /** The checkpoint that the thread was copied at; it and its ancestors are seen by the thread. */
  copied_from_checkpoint_id: string | null;
  /** The id of the thread that this copy, and all that are related to it, began with; `null` on no copy. */
  copy_family: string | null;
}

/** One row per metadata key of a thread, so that search compares hashes and never splices a key into SQL. */
interface ThreadMetadataTable {
  thread_id: string;
  /** sha-256 of the key and its canonical JSON value. */
  entry_hash: string;
}

export interface RunsTable {
  run_id: string;
  thread_id: string;
  user_id: string | null;
  assistant_id: string;
  status: RunStatus;
  metadata: string;
  kwargs: PackedText;
  multitask_strategy: MultitaskStrategy;
  follow_up_to_run_id: string | null;
  attempt: number;
  lease_owner: string | null;
  lease_until: number | null;
  base_checkpoint_id: string | null;
  /** A pending run is not taken up before. */
  start_after: number | null;
  cancel_action: RunCancel['action'] | null;
  cancel_stop_reason: RunCancel['stopReason'] | null;
  stop_reason: StopReason | null;
  error: string | null;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
  total_input_tokens: number;
  total_output_tokens: number;
  total_tokens: number;
  llm_call_count: number;
  lead_agent_tokens: number;
  subagent_tokens: number;
  middleware_tokens: number;
  message_count: number;
  token_usage_by_model: string;
  /** 1 once the stream is what the retention leaves of it, or when there never was one. */
  frames_pruned: number;
}

interface IdempotencyKeysTable {
  /** Whoever sent the key; empty for nobody in particular. */
  user_id: string;
  key: string;
  run_id: string;
  created_at: number;
}

export interface RunEventsTable {
  thread_id: string;
  seq: number;
  run_id: string;
  user_id: string | null;
  event_type: string;
  category: RunEventCategory;
  created_at: number;
  metadata: string;
  content_format: 'text' | 'json';
  /** `null` when the text is in `trace_contents` under `content_key`. */
  content: PackedText | null;
  content_key: string | null;
}

/** Long trace contents, once per thread however often they recur. */
interface TraceContentsTable {
  thread_id: string;
  /** sha-256 of the content. */
  content_key: string;
  content: PackedText;
}

export interface RunFramesTable {
  run_id: string;
  first_seq: number;
  last_seq: number;
  attempt: number;
  /** Packed once the run was pruned. */
  events: PackedText;
}

export interface CheckpointsTable {
  checkpoint_id: string;
  thread_id: string;
  parent_id: string | null;
  run_id: string | null;
  namespace: string;
  step: number;
  source: CheckpointSource;
  node: string | null;
  fold_bytes: number;
  created_at: number;
  next: string;
  tasks: string;
  metadata: string;
  delta: PackedText;
  snapshot: PackedText | null;
}

/** One row per deleted thread whose files are not gone yet. */
interface ThreadRemovalsTable {
  thread_id: string;
  user_id: string | null;
  /** Until then somebody removes the files. */
  taken_until: number;
}

interface SchemaMigrationsTable {
  number: number;
  name: string;
  applied_at: number;
}

/** One row that readiness rewrites to learn whether the database takes writes. */
interface WriteProbesTable {
  id: number;
  written_at: number;
}

export interface Tables {
  users: UsersTable;
  threads: ThreadsTable;
  thread_metadata: ThreadMetadataTable;
  runs: RunsTable;
  idempotency_keys: IdempotencyKeysTable;
  run_events: RunEventsTable;
  trace_contents: TraceContentsTable;
  run_frames: RunFramesTable;
  checkpoints: CheckpointsTable;
  thread_removals: ThreadRemovalsTable;
  schema_migrations: SchemaMigrationsTable;
  write_probes: WriteProbesTable;
}
