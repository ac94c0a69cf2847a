// The tables of runs: the runs themselves, and what they write. Conventions as in `tables.ts`.
import type { Generated } from 'kysely';
import type { CheckpointRecord } from '../../checkpoints.ts';
import type { FrameRow } from '../../frames.ts';
import type { CountColumn } from '../../run-counts.ts';
import type { RunEventRecord } from '../../run-events.ts';
import type { RunCancel, RunRecord } from '../../runs.ts';
import type { BudgetRequest } from '../../usage.ts';
import type { PackedText } from './packed-text.ts';
import type { ColumnsOf } from './plain-columns.ts';

type PlainRun = Omit<RunRecord, 'metadata' | 'kwargs' | 'epochs' | 'formerHead' | 'cancel' | 'totals'>;

export interface RunsTable extends ColumnsOf<PlainRun>, Record<CountColumn, number> {
  metadata: string;
  kwargs: PackedText;
  /** See `run-epochs.ts`. */
  epochs: string | null;
  /** The thread's head before a run that began elsewhere, empty for no state; `null` on all other runs. */
  former_head_id: string | null;
  /** See `RunQueues`. */
  is_first: number | null;
  cancel_action: RunCancel['action'] | null;
  cancel_stop_reason: RunCancel['stopReason'] | null;
  token_usage_by_model: string;
  /** 1 once retention has pruned the stream, or when there never was one. */
  frames_pruned: number;
}

interface IdempotencyKeysTable {
  /** The user who sent the key; empty for none. */
  user_id: string;
  key: string;
  run_id: string;
  created_at: number;
}

export interface RunEventsTable extends ColumnsOf<Omit<RunEventRecord, 'metadata' | 'content'>> {
  metadata: string;
  content_format: 'text' | 'json';
  /** `null` when the text is in `trace_contents` under `content_key`. */
  content: PackedText | null;
  content_key: string | null;
  /**
   * 0 for a message of the conversation; otherwise why it is not part of it, in bits (`message-marks.ts`).
   */
  is_replaced: Generated<number>;
  /** On a message: the `seq` of the event with its current version; `null`: as recorded. */
  revised_by: number | null;
  /** On an event about a message: the `seq` of that message. */
  revises: number | null;
  /** The value of `is_replaced` after the move of the thread's lineage; `null`: it and `revised_by` stay. */
  next_replaced: number | null;
  /** Read only where `next_replaced` is not null. */
  next_revised_by: number | null;
}

interface SeenByOwner {
  /** Postgres only: the owner who sees the row; `null`: every owner, as for an ownerless thread. */
  user_id: string | null | undefined;
}

/** Long trace contents, stored once per thread however often they recur. */
interface TraceContentsTable extends SeenByOwner {
  thread_id: string;
  /** sha-256 of the content. */
  content_key: string;
  content: PackedText;
}

export interface RunFramesTable extends ColumnsOf<Omit<FrameRow, 'events'>>, SeenByOwner {
  run_id: string;
  /** Packed once the run is pruned. */
  events: PackedText;
}

type PlainCheckpoint = Omit<CheckpointRecord, 'next' | 'tasks' | 'metadata'>;

export interface CheckpointsTable extends ColumnsOf<PlainCheckpoint>, SeenByOwner {
  next: string;
  tasks: string;
  metadata: string;
  delta: PackedText;
  snapshot: PackedText | null;
}

/** The last run whose events of a kind retention removed. */
interface EventRetentionTable {
  kind: string;
  finished_at: number;
  run_id: string;
}

/** Events of the runs of a process in one flush, until they are sorted into `run_frames`. */
interface RunLogTable {
  worker_id: string;
  flush: number;
  /** A JSON array of `[run id, attempt, seq of the first event, events]`. */
  pieces: string;
}

/** One row per process that executes runs. */
interface WorkersTable {
  worker_id: string;
  /** By the clock of the database. */
  lease_until: number;
  /** The number of its last group commit, counted from 1. */
  flush: number;
  /** The outcome of that commit as JSON, with the ids of lost and blocked runs; `null` for none. */
  lost: string | null;
  /** 1: the worker is fenced and never writes again. */
  fenced: number;
}

/** One row per running model call, where days have budgets. */
interface BudgetReservationsTable extends ColumnsOf<Omit<BudgetRequest, 'nanos' | 'limits'>> {
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
