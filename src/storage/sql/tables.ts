// The tables as Kysely sees them. Times are epoch milliseconds, flags 0 or 1, JSON is text.

import type { Generated } from 'kysely';
import type { CheckpointSource } from '../checkpoints.ts';
import type { FeedbackRating } from '../feedback.ts';
import type { RunEventCategory } from '../run-events.ts';
import type { MultitaskStrategy, RunCancel, RunStatus, StopReason } from '../runs.ts';
import type { ThreadStatus } from '../threads.ts';
import type { WebhookFailure, WebhookStatus } from '../webhook-deliveries.ts';
import type { AccountTables } from './account-tables.ts';
import type { PackedText } from './packed-text.ts';

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
  /** The last time that a run wrote in the thread, or that a state update changed its messages. */
  state_updated_at: number;
  /** The checkpoint that the thread was copied at; it and its ancestors are seen by the thread. */
  copied_from_checkpoint_id: string | null;
  /** The id of the thread that this copy, and all that are related to it, began with; `null` on no copy. */
  copy_family: string | null;
  /** 1: it was made for one run and goes with it. */
  temporary: number;
  /** Names what `next_replaced` of its messages was written for; `null`: it is null on all of them. */
  line_move: Generated<string | null>;
  /** 1: that has taken effect, so `next_replaced` is what counts wherever it is not null. */
  line_moved: Generated<number>;
}

/** One row per metadata key of a thread, so that search compares hashes and never splices a key into SQL. */
interface ThreadMetadataTable {
  thread_id: string;
  /** sha-256 of the key and its canonical JSON value. */
  entry_hash: string;
  /** Of the thread. */
  user_id: string | null;
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
  /** Where the thread stood before a run that began elsewhere, empty for nowhere; `null` on all other runs. */
  former_head_id: string | null;
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
  /** See `RunRecord.numbersFrom`. */
  numbers_from: number | null;
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
  /** 0 for a message of the conversation; else why it is none, in bits (`message-marks.ts`). */
  is_replaced: Generated<number>;
  /** Of a message: the `seq` of the event that says how it reads now; `null`: as it was said. */
  revised_by: number | null;
  /** Of an event that tells of a message: the `seq` of that message. */
  revises: number | null;
  /** What `is_replaced` and `revised_by` become with the move of the thread's line; `null`: they stay. */
  next_replaced: number | null;
  /** Read only where `next_replaced` is not null. */
  next_revised_by: number | null;
}

export interface FeedbackTable {
  feedback_id: string;
  thread_id: string;
  run_id: string;
  user_id: string;
  message_id: string | null;
  rating: FeedbackRating;
  comment: string | null;
  created_at: number;
}

/** Long trace contents, once per thread however often they recur. */
interface TraceContentsTable {
  thread_id: string;
  /** sha-256 of the content. */
  content_key: string;
  content: PackedText;
  /** On Postgres alone: who sees the row; `null`: whoever asks, as of a thread without an owner. */
  user_id: string | null | undefined;
}

export interface RunFramesTable {
  run_id: string;
  first_seq: number;
  last_seq: number;
  attempt: number;
  /** Packed once the run was pruned. */
  events: PackedText;
  /** On Postgres alone: who sees the row; `null`: whoever asks, as of a thread without an owner. */
  user_id: string | null | undefined;
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
  /** On Postgres alone: who sees the row; `null`: whoever asks, as of a thread without an owner. */
  user_id: string | null | undefined;
}

/** One row per deleted thread whose files are not gone yet. */
interface ThreadRemovalsTable {
  thread_id: string;
  user_id: string | null;
  /** Until then somebody removes the files. */
  taken_until: number;
}

/** One row per title or message that can be found by its words. Newer ones have higher ids. */
interface SearchDocsTable {
  doc_id: Generated<number>;
  thread_id: string;
  /** Of the run event; `null` for the title. */
  seq: number | null;
}

/** Threads whose messages after `after_seq` may not be indexed yet. */
interface SearchBacklogTable {
  thread_id: string;
  after_seq: number;
}

/** What each owner's model calls took, one row per day, model and currency (empty: without a price). */
export interface UsageDaysTable {
  user_id: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  model: string;
  currency: string;
  calls: number;
  tokens: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  /** Billionths of the currency's unit. */
  cost_nanos: number;
}

/** The last run whose events of a kind were removed. */
interface EventRetentionTable {
  kind: string;
  finished_at: number;
  run_id: string;
}

/** Imports under way. Their threads have `import:<import_id>` as their owner. */
interface ThreadImportsTable {
  import_id: string;
  user_id: string;
  /** Until then somebody works on it. */
  taken_until: number;
  /** 1 once it is only to be cleared away. */
  abandoned: number;
}

/** One row per model call that goes on, where days have budgets. */
interface BudgetReservationsTable {
  reservation_id: string;
  run_id: string;
  attempt: number;
  user_id: string;
  day: string;
  currency: string;
  tokens: number;
  cost_nanos: number;
}

interface WebhookDeliveriesTable {
  run_id: string;
  user_id: string | null;
  url: string;
  status: WebhookStatus;
  /** Counted before each of them. */
  attempts: number;
  /** While it is pending: when it is due, or until when somebody is at it. */
  next_at: number;
  last_status: number | null;
  last_error: WebhookFailure | null;
  updated_at: number;
}

export interface StoreItemsTable {
  user_id: string;
  /** Labels joined by dots. */
  namespace: string;
  key: string;
  created_at: number;
  updated_at: number;
  ttl_ms: number | null;
  expires_at: number | null;
  /** Of the value as JSON in UTF-8. */
  bytes: number;
  value: PackedText;
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

export interface Tables extends AccountTables {
  threads: ThreadsTable;
  thread_metadata: ThreadMetadataTable;
  runs: RunsTable;
  idempotency_keys: IdempotencyKeysTable;
  run_events: RunEventsTable;
  feedback: FeedbackTable;
  trace_contents: TraceContentsTable;
  run_frames: RunFramesTable;
  checkpoints: CheckpointsTable;
  thread_removals: ThreadRemovalsTable;
  thread_imports: ThreadImportsTable;
  event_retention: EventRetentionTable;
  search_docs: SearchDocsTable;
  search_backlog: SearchBacklogTable;
  usage_days: UsageDaysTable;
  budget_reservations: BudgetReservationsTable;
  store_items: StoreItemsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  schema_migrations: SchemaMigrationsTable;
  write_probes: WriteProbesTable;
}
