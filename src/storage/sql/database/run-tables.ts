// The tables of runs: the runs themselves, and what they write. As in `tables.ts`.
import type { Generated } from 'kysely';
import type { CheckpointSource } from '../../checkpoints.ts';
import type { CountColumn } from '../../run-counts.ts';
import type { RunEventCategory } from '../../run-events.ts';
import type { MultitaskStrategy, RunCancel, RunStatus, StopReason } from '../../runs.ts';
import type { PackedText } from './packed-text.ts';

export interface RunsTable extends Record<CountColumn, number> {
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
  /** See `run-epochs.ts`. */
  epochs: string | null;
  /** The worker that executes it; `null` while it is running: any worker may take it up. */
  lease_owner: string | null;
  base_checkpoint_id: string | null;
  /** Where the thread stood before a run that began elsewhere, empty for nowhere; `null` on all other runs. */
  former_head_id: string | null;
  /** A pending run is not taken up before. */
  start_after: number | null;
  /** See `RunQueues`. */
  is_first: number | null;
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

/** Long trace contents, once per thread however often they recur. */
interface TraceContentsTable {
  thread_id: string;
  /** sha-256 of the content. */
  content_key: string;
  content: PackedText;
  /** Postgres only: who sees the row; `null`: every owner, as for a thread without an owner. */
  user_id: string | null | undefined;
}

export interface RunFramesTable {
  run_id: string;
  first_seq: number;
  last_seq: number;
  attempt: number;
  /** Packed once the run was pruned. */
  events: PackedText;
  /** Postgres only: who sees the row; `null`: every owner, as for a thread without an owner. */
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
  /** Postgres only: who sees the row; `null`: every owner, as for a thread without an owner. */
  user_id: string | null | undefined;
}

/** The last run whose events of a kind were removed. */
interface EventRetentionTable {
  kind: string;
  finished_at: number;
  run_id: string;
}

/** What the runs of a process have said in one flush, until it is sorted into `run_frames`. */
interface RunLogTable {
  worker_id: string;
  flush: number;
  /** A JSON array of `[run id, attempt, place of the first event, events]`. */
  pieces: string;
}

/** One row per process that executes runs. */
interface WorkersTable {
  worker_id: string;
  /** By the clock of the database. */
  lease_until: number;
  /** Of its last group commit, counted from 1. */
  flush: number;
  /** A JSON array: the runs that were lost in that commit; `null` for none. */
  lost: string | null;
  /** 1: it is given up, and never writes again. */
  fenced: number;
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

export interface RunTables {
  runs: RunsTable;
  workers: WorkersTable;
  idempotency_keys: IdempotencyKeysTable;
  run_events: RunEventsTable;
  trace_contents: TraceContentsTable;
  run_frames: RunFramesTable;
  checkpoints: CheckpointsTable;
  run_log: RunLogTable;
  event_retention: EventRetentionTable;
  budget_reservations: BudgetReservationsTable;
}
