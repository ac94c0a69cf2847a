// The tables as Kysely sees them. Times are epoch milliseconds, flags 0 or 1, JSON is text.

import type { Generated } from 'kysely';
import type { AgentRecord } from '../../agents.ts';
import type { BackgroundTask } from '../../background-tasks.ts';
import type { FeedbackRecord } from '../../feedback.ts';
import type { MemoryJob, MemoryRecord } from '../../memories.ts';
import type { ScheduleFire, ScheduleRecord } from '../../schedules.ts';
import type { StoreItem } from '../../store-items.ts';
import type { ThreadRecord, ThreadRemoval } from '../../threads.ts';
import type { UsageOfDay } from '../../usage.ts';
import type { WebhookReport } from '../../webhook-deliveries.ts';
import type { AccountTables } from './account-tables.ts';
import type { PackedText } from './packed-text.ts';
import type { ColumnsOf } from './plain-columns.ts';
import type { RunTables } from './run-tables.ts';

export interface ThreadsTable extends ColumnsOf<Omit<ThreadRecord, 'metadata'>> {
  metadata: string;
  /** The highest `seq` that a run event of this thread has. */
  last_seq: number;
  /** The checkpoint at which the thread was copied. The thread sees it and its ancestors. */
  copied_from_checkpoint_id: string | null;
  /**
   * The id of the thread from which this copy and all related ones descend; `null` on threads that are not
   * copies.
   */
  copy_family: string | null;
  /** 1: made for one run and removed with it. */
  temporary: number;
  /**
   * Names the move for which `next_replaced` of its messages was written; `null`: it is null on all of them.
   */
  line_move: Generated<string | null>;
  /** 1: that move has taken effect, so `next_replaced` counts wherever it is not null. */
  line_moved: Generated<number>;
}

/** One row per metadata key of a thread, so that search compares hashes and never inserts a key into SQL. */
interface ThreadMetadataTable {
  thread_id: string;
  /** sha-256 of the key and its canonical JSON value. */
  entry_hash: string;
  /** The owner of the thread. */
  user_id: string | null;
}

/** One row per searchable title or message. Newer ones have higher ids. */
interface SearchDocsTable {
  doc_id: Generated<number>;
  thread_id: string;
  /** The `seq` of the run event; `null` for the title. */
  seq: number | null;
}

/** Threads whose messages after `after_seq` may not be indexed yet. */
interface SearchBacklogTable {
  thread_id: string;
  after_seq: number;
}

/** The usage of each owner's model calls, one row per day, model and currency (empty: without a price). */
export interface UsageDaysTable extends ColumnsOf<Omit<UsageOfDay, 'cost'>> {
  user_id: string;
  currency: string;
  /** Billionths of the currency's unit. */
  cost_nanos: number;
}

/** Imports in progress. Their threads have `import:<import_id>` as their owner. */
interface ThreadImportsTable {
  import_id: string;
  user_id: string;
  /** Until then, a process has claimed the import. */
  taken_until: number;
  /** 1 once it only has to be removed. */
  abandoned: number;
}

/** `attempts` is counted before each attempt. */
interface WebhookDeliveriesTable extends ColumnsOf<Omit<WebhookReport, 'nextAttemptAt'>> {
  run_id: string;
  user_id: string | null;
  url: string;
  /** While pending: when it is due, or until when a process has claimed it. */
  next_at: number;
  updated_at: number;
}

export interface StoreItemsTable extends ColumnsOf<Omit<StoreItem, 'namespace' | 'value'>> {
  user_id: string;
  /** Labels joined by dots. */
  namespace: string;
  ttl_ms: number | null;
  /** The size of the value as JSON in UTF-8. */
  bytes: number;
  value: PackedText;
}

/** Skills that are off, for a user or for all users (`null`). */
interface SkillSwitchesTable {
  user_id: string | null;
  path: string;
}

/** One row per custom skill that is being changed. */
interface SkillClaimsTable {
  user_id: string;
  name: string;
  holder: string;
  taken_until: number;
}

/** Agents that people define, in their newest version. */
export interface AgentsTable
  extends ColumnsOf<Pick<AgentRecord, 'agentId' | 'name' | 'version' | 'createdAt' | 'updatedAt'>> {
  user_id: string;
  is_shared: number;
  deleted_at: number | null;
}

export interface AgentVersionsTable {
  agent_id: string;
  version: number;
  user_id: string;
  created_at: number;
  /** JSON. */
  definition: PackedText;
}

/** One row per agent of a user that remembers something, or did. */
export interface MemoriesTable extends ColumnsOf<Omit<MemoryRecord, 'facts' | 'previous'>> {
  user_id: string;
  /** JSON. */
  facts: string;
  /** JSON. */
  previous: string | null;
}

/** One row per task that continues after the reply of the agent that gave it. */
export interface BackgroundTasksTable extends ColumnsOf<BackgroundTask> {
  /** 1: the task needs no more work. */
  settled: number;
  due_at: number;
  leased_until: number;
}

/** Exactly one of `cron` and `run_at` is not null. */
export interface SchedulesTable extends ColumnsOf<Omit<ScheduleRecord, 'timing'>> {
  cron: string | null;
  run_at: number | null;
  timezone: string;
}

/** One row per slot of a schedule, and per run requested by hand. */
export interface ScheduleFiresTable extends ColumnsOf<Omit<ScheduleFire, 'isManual'>> {
  user_id: string;
  is_manual: number;
  /** Counted before each attempt. */
  attempts: number;
  /** While it waits: the earliest start. */
  next_at: number;
  /** Until then, a process has claimed it. */
  leased_until: number;
}

/** One row per thread and agent with messages of the user from which facts are still to be extracted. */
export interface MemoryJobsTable extends ColumnsOf<Omit<MemoryJob, 'questions' | 'attempt'>> {
  /** JSON: ids of messages. */
  questions: string;
  due_at: number;
  /** Counted before each attempt. */
  attempts: number;
  leased_until: number;
}

interface SchemaMigrationsTable {
  number: number;
  name: string;
  applied_at: number;
}

/** A single row that readiness rewrites to check whether the database accepts writes. */
interface WriteProbesTable {
  id: number;
  written_at: number;
}

export interface Tables extends AccountTables, RunTables {
  threads: ThreadsTable;
  thread_metadata: ThreadMetadataTable;
  feedback: ColumnsOf<FeedbackRecord>;
  /** One row per deleted thread whose rows or files are not gone yet. */
  thread_removals: ColumnsOf<ThreadRemoval>;
  thread_imports: ThreadImportsTable;
  search_docs: SearchDocsTable;
  search_backlog: SearchBacklogTable;
  usage_days: UsageDaysTable;
  store_items: StoreItemsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  skill_switches: SkillSwitchesTable;
  skill_claims: SkillClaimsTable;
  agents: AgentsTable;
  agent_versions: AgentVersionsTable;
  memories: MemoriesTable;
  /** One row per user who has switched memory off. */
  memory_switches: { user_id: string };
  memory_jobs: MemoryJobsTable;
  schedules: SchedulesTable;
  schedule_fires: ScheduleFiresTable;
  background_tasks: BackgroundTasksTable;
  schema_migrations: SchemaMigrationsTable;
  write_probes: WriteProbesTable;
}
