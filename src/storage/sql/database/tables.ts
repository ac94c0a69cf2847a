// The tables as Kysely sees them. Times are epoch milliseconds, flags 0 or 1, JSON is text.

import type { Generated } from 'kysely';
import type { BackgroundTaskState } from '../../background-tasks.ts';
import type { FeedbackRating } from '../../feedback.ts';
import type { ThreadStatus } from '../../threads.ts';
import type { WebhookFailure, WebhookStatus } from '../../webhook-deliveries.ts';
import type { AccountTables } from './account-tables.ts';
import type { PackedText } from './packed-text.ts';
import type { RunTables } from './run-tables.ts';
import type { ScheduleTables } from './schedule-tables.ts';

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

/** Imports under way. Their threads have `import:<import_id>` as their owner. */
interface ThreadImportsTable {
  import_id: string;
  user_id: string;
  /** Until then somebody works on it. */
  taken_until: number;
  /** 1 once it is only to be cleared away. */
  abandoned: number;
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

/** What is off, for a user or for everybody. */
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

/** What people define, as its newest version says. */
export interface AgentsTable {
  agent_id: string;
  user_id: string;
  name: string;
  version: number;
  is_shared: number;
  created_at: number;
  updated_at: number;
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

/** One row per agent of a person that remembers something, or did. */
export interface MemoriesTable {
  user_id: string;
  agent: string;
  revision: number;
  updated_at: number;
  /** JSON. */
  facts: string;
  /** JSON. */
  previous: string | null;
}

/** One row per person who has switched memory off. */
interface MemorySwitchesTable {
  user_id: string;
}

/** One row per task that goes on behind the answer of the agent that gave it. */
export interface BackgroundTasksTable {
  task_id: string;
  user_id: string;
  parent_thread_id: string;
  parent_run_id: string;
  call_id: string;
  thread_id: string;
  run_id: string | null;
  subagent: string;
  description: string;
  prompt: string;
  state: BackgroundTaskState;
  /** 1: nothing is left to do with it. */
  settled: number;
  due_at: number;
  leased_until: number;
  created_at: number;
  updated_at: number;
}

/** One row per thread with words of the person that are still to be read for facts. */
export interface MemoryJobsTable {
  thread_id: string;
  agent: string;
  user_id: string;
  /** The last run, which pays for it. */
  run_id: string;
  /** JSON: ids of messages. */
  questions: string;
  due_at: number;
  /** Counted before each of them. */
  attempts: number;
  leased_until: number;
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

export interface Tables extends AccountTables, RunTables, ScheduleTables {
  threads: ThreadsTable;
  thread_metadata: ThreadMetadataTable;
  feedback: FeedbackTable;
  thread_removals: ThreadRemovalsTable;
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
  memory_switches: MemorySwitchesTable;
  memory_jobs: MemoryJobsTable;
  background_tasks: BackgroundTasksTable;
  schema_migrations: SchemaMigrationsTable;
  write_probes: WriteProbesTable;
}
