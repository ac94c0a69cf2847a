// The storage port: repositories bound to an owner, and the few operations that belong to the service itself.

import type { AgentRepository, AgentVersions } from './agents.ts';
import type { ApiKeyRegistry, ApiKeyRepository } from './api-keys.ts';
import type { AuditLog } from './audit-log.ts';
import type { BackgroundTaskRepository, BackgroundTasks } from './background-tasks.ts';
import type { CheckpointRepository } from './checkpoints.ts';
import type { FeedbackRepository } from './feedback.ts';
import type { FrameRepository, FrameRetention } from './frames.ts';
import type { MemoryJobs, MemoryRepository } from './memories.ts';
import type { MessageSearch, SearchIndex } from './message-search.ts';
import type { Notices } from './notices.ts';
import type { Projections } from './projections.ts';
import type { RunCommits } from './run-commits.ts';
import type { EventRetention, RunEventRepository } from './run-events.ts';
import type { RunLeases, Workers } from './run-leases.ts';
import type { RunRepository } from './runs.ts';
import type { ScheduleFires, ScheduleRepository } from './schedules.ts';
import type { SessionRegistry, SessionRepository } from './sessions.ts';
import type { SharedSkillSwitches, SkillStates } from './skill-states.ts';
import type { ExpiredStoreItems, StoreItemRepository } from './store-items.ts';
import type { ThreadExports, ThreadImports } from './thread-packages.ts';
import type { TemporaryThreads, ThreadMarks, ThreadRemovals, ThreadRepository } from './threads.ts';
import type { BudgetReservations, UsageRepository } from './usage.ts';
import type { AccountRemovals, UserRepository } from './users.ts';
import type { WebhookDeliveries, WebhookReports } from './webhook-deliveries.ts';

/** The explicit empty user (docs/contract/conventions.md#owners): migrations and the command line only. */
export const UNSCOPED: unique symbol = Symbol('unscoped');

/** A user id, or `UNSCOPED`. Anything else makes `as` throw. */
export type Owner = string | typeof UNSCOPED;

/**
 * Records of one owner. Everything read or written is durable, so it may be shown to clients. Every read sees
 * the owner's rows and the ownerless ones (shared, for reading only). Every write stamps the owner and
 * changes only the owner's rows. A row of another owner counts as absent.
 */
export interface Repositories {
  readonly threads: ThreadRepository;
  readonly runs: RunRepository;
  readonly runEvents: RunEventRepository;
  readonly feedback: FeedbackRepository;
  readonly frames: FrameRepository;
  readonly checkpoints: CheckpointRepository;
  readonly search: MessageSearch;
  readonly apiKeys: ApiKeyRepository;
  readonly sessions: SessionRepository;
  readonly usage: UsageRepository;
  readonly threadExports: ThreadExports;
  readonly storeItems: StoreItemRepository;
  readonly webhooks: WebhookReports;
  readonly skillStates: SkillStates;
  readonly agents: AgentRepository;
  readonly memories: MemoryRepository;
  readonly schedules: ScheduleRepository;
  readonly backgroundTasks: BackgroundTaskRepository;
  /**
   * The same records ahead of the disk, for internal work: a power cut may undo what was read or written
   * there. Later writes reach the disk after earlier ones. Before `onDisk` resolves, none of it may be shown
   * to clients or cause anything that cannot be repeated.
   */
  readonly ahead: Repositories;
  /** Resolves when everything committed so far is on disk. Throws `unavailable` when the disk refuses. */
  onDisk(): Promise<void>;
}

/**
 * All durable data. For failures outside the program, such as a database that does not respond within its
 * limits, all methods throw `ServiceError('unavailable')` and nothing else.
 */
export interface Storage {
  /**
   * Returns the repositories of the owner. Throws `TypeError` for anything but a non-empty user id or
   * `UNSCOPED`, because a missing owner is a programming error.
   */
  as(owner: Owner): Repositories;
  readonly users: UserRepository;
  readonly audit: AuditLog;
  readonly apiKeys: ApiKeyRegistry;
  readonly sessions: SessionRegistry;
  /** Notices between the processes on the database. */
  readonly notices: Notices;
  readonly workers: Workers;
  readonly runLeases: RunLeases;
  readonly runCommits: RunCommits;
  readonly budgetReservations: BudgetReservations;
  readonly frameRetention: FrameRetention;
  readonly eventRetention: EventRetention;
  readonly threadMarks: ThreadMarks;
  readonly threadRemovals: ThreadRemovals;
  readonly threadImports: ThreadImports;
  readonly accountRemovals: AccountRemovals;
  readonly temporaryThreads: TemporaryThreads;
  readonly expiredStoreItems: ExpiredStoreItems;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly memoryJobs: MemoryJobs;
  readonly scheduleFires: ScheduleFires;
  readonly backgroundTasks: BackgroundTasks;
  readonly sharedSkillSwitches: SharedSkillSwitches;
  readonly agentVersions: AgentVersions;
  readonly searchIndex: SearchIndex;
  readonly projections: Projections;
  /**
   * Assigns ownerless threads, with their runs and events, to this user. Returns the number of threads.
   * Idempotent; recorded in the audit log.
   */
  adoptOwnerlessThreads(userId: string): Promise<number>;
  /** Returns epoch milliseconds by the clock that all processes on the database share. */
  readonly now: () => number;
  /** Resolves when a row can be written now (readiness); otherwise throws `unavailable`. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}
