// The storage port on one open database whose schema is up to date.
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { NO_OTHERS } from '../notices.ts';
import type { Owner, Repositories, Storage } from '../storage.ts';
import { createAccountRemovals } from './accounts/account-removals.ts';
import { createApiKeyRegistry, createApiKeyRepository } from './accounts/api-key-repository.ts';
import { createSessionRegistry, createSessionRepository } from './accounts/session-repository.ts';
import { createUsageRepository } from './accounts/usage-repository.ts';
import { createUserRepository } from './accounts/user-repository.ts';
import { type AppendAudit, createAppendAudit, createAuditLog } from './audit/audit-log.ts';
import { createAddUsage } from './commits/add-usage.ts';
import { createBudgetReservations, createReleaseReservations } from './commits/budget-reservations.ts';
import { createCommitStatements } from './commits/commit-statements.ts';
import { createRunCommits, type RunCommitParts } from './commits/run-commits.ts';
import type { Database } from './database/database.ts';
import { requireOwner } from './database/owner-filter.ts';
import { apply } from './database/results.ts';
import type { SharedClock } from './database/shared-clock.ts';
import { createRunLogRows } from './log/run-log-rows.ts';
import { createWorkers } from './log/workers.ts';
import { createEventRetention } from './messages/event-retention.ts';
import { createRecordWriters } from './messages/record-writers.ts';
import { createRunEventRepository } from './messages/run-event-repository.ts';
import { createAgentRepository, createAgentVersions } from './personal/agent-repository.ts';
import { createFeedbackRepository } from './personal/feedback-repository.ts';
import { createMemoryJobs } from './personal/memory-jobs.ts';
import { createMemoryRepository } from './personal/memory-repository.ts';
import { createSharedSkillSwitches, createSkillStates } from './personal/skill-states.ts';
import { createExpiredStoreItems, createStoreItemRepository } from './personal/store-item-repository.ts';
import { createProjections } from './projections/projections.ts';
import { createAdmitRun } from './runs/admit-run.ts';
import { createBackgroundTaskRepository, createBackgroundTasks } from './runs/background-tasks.ts';
import { createFrameRepository, createFrameRetention } from './runs/frame-repository.ts';
import { createRunLeases } from './runs/run-leases.ts';
import { createRunQueues } from './runs/run-queue.ts';
import { createRunRepository } from './runs/run-repository.ts';
import { createWebhookDeliveries, createWebhookReports } from './runs/webhook-deliveries.ts';
import { createScheduleFires } from './schedules/schedule-fires.ts';
import { createScheduleRepository } from './schedules/schedule-repository.ts';
import { createMessageSearch } from './search/message-search.ts';
import { createSearchIndex } from './search/search-index.ts';
import { createCheckpointRepository } from './threads/checkpoint-repository.ts';
import { createTemporaryThreads, createThreadMarks } from './threads/service-threads.ts';
import { createThreadRemovals } from './threads/thread-removals.ts';
import { createThreadRepository } from './threads/thread-repository.ts';
import { createThreadExports } from './transfer/thread-exports.ts';
import { createThreadImports } from './transfer/thread-imports.ts';

/** Repositories are stateless, so requests and streams of one owner share them. */
const OWNERS_KEPT = 1_000;

type RepositoriesOf = (owner: Owner) => Repositories;
/**
 * `aheadOf` returns the repositories that work ahead of the disk. Without it, the created ones do, or the
 * database is its own `ahead`.
 */
type CreateRepositories = (database: Database, owner: Owner, aheadOf?: RepositoriesOf) => Repositories;

function keptFor(create: RepositoriesOf): RepositoriesOf {
  const kept = new LRUCache<Owner, Repositories>({
    // `max` instead of `maxSize` would allocate all entries up front.
    maxSize: OWNERS_KEPT,
    sizeCalculation: () => 1,
    memoMethod: (owner) => create(owner),
  });
  return (owner) => kept.memo(owner);
}

/** Creates the storage. Closing it closes the database. */
export function createSqlStorage(database: Database, clock: SharedClock, notices = NO_OTHERS): Storage {
  const { now } = clock;
  const appendAudit = createAppendAudit(database, now);
  const writers = createRecordWriters(database);
  const { searchEntries, appendRunEvents, messageRevisions, headMoves } = writers;
  const queues = createRunQueues(database);
  const admitRun = createAdmitRun({ database, appendRunEvents, queues });
  const addUsage = createAddUsage(database);
  const { patchRuns } = createCommitStatements(database);
  const releaseReservations = createReleaseReservations(database);
  const searchIndex = createSearchIndex(database, searchEntries);
  const create: CreateRepositories = (families, owner, aheadOf) => {
    const owned = families.ownedBy(owner);
    const threadParts = { database: owned, families, appendAudit, searchEntries, owner } as const;
    const runEvents = createRunEventRepository(owned, owner);
    const feedback = createFeedbackRepository(owned, owner);
    const repositories: Repositories = {
      threads: createThreadRepository(threadParts),
      runs: createRunRepository({ database: owned, admitRun, queues, owner }),
      runEvents,
      feedback,
      frames: createFrameRepository(owned, owner),
      checkpoints: createCheckpointRepository({ ...writers, database: owned, owner }),
      search: createMessageSearch(owned, owner),
      apiKeys: createApiKeyRepository(owned, appendAudit, owner),
      sessions: createSessionRepository(owned, appendAudit, owner),
      usage: createUsageRepository({ database: owned, owner, addUsage, appendRunEvents, patchRuns }),
      threadExports: createThreadExports(owned, { feedback, headMoves }, owner),
      storeItems: createStoreItemRepository(owned, owner),
      webhooks: createWebhookReports(owned, owner),
      skillStates: createSkillStates(owned, owner),
      agents: createAgentRepository(owned, owner),
      memories: createMemoryRepository(owned, owner),
      schedules: createScheduleRepository(owned, owner),
      backgroundTasks: createBackgroundTaskRepository(owned, owner),
      get ahead() {
        return aheadOf?.(owner) ?? repositories;
      },
      onDisk: () => database.onDisk(),
    };
    return repositories;
  };
  const { ahead } = database;
  const aheadOf = ahead === database ? undefined : keptFor((owner) => create(ahead, owner));
  const repositoriesOf = keptFor((owner) => create(database, owner, aheadOf));
  return {
    as: (asked) => repositoriesOf(requireOwner(asked)),
    users: createUserRepository(database, appendAudit),
    audit: createAuditLog(database, appendAudit),
    apiKeys: createApiKeyRegistry(database, appendAudit),
    sessions: createSessionRegistry(database, appendAudit),
    notices,
    ...forWorkers(database, clock, { ...writers, queues, addUsage, releaseReservations }),
    accountRemovals: createAccountRemovals(database, appendAudit),
    threadImports: createThreadImports(database, { ...writers, appendAudit }),
    agentVersions: createAgentVersions(database.ahead),
    adoptOwnerlessThreads: (userId) => adoptOwnerlessThreads(database, appendAudit, userId),
    searchIndex,
    projections: createProjections(database, { searchIndex, messageRevisions, headMoves }),
    ...withoutOthers(database),
    now,
    checkWritable: () => rewriteProbe(database, now()),
    close: () => notices.stop().then(() => database.close()),
  };
}

/**
 * The assignment of runs to workers, and what runs report. Works ahead of the disk, because clients see only
 * the consequences.
 */
function forWorkers({ ahead }: Database, clock: SharedClock, parts: Omit<RunCommitParts, 'logRows'>) {
  const logRows = createRunLogRows(ahead);
  return {
    workers: createWorkers(ahead, { logRows, clock }),
    runLeases: createRunLeases(ahead, { logRows, queues: parts.queues }),
    runCommits: createRunCommits(ahead, { ...parts, logRows }),
  };
}

/** Parts that need only the database. */
function withoutOthers(database: Database) {
  return {
    budgetReservations: createBudgetReservations(database),
    frameRetention: createFrameRetention(database),
    eventRetention: createEventRetention(database),
    threadMarks: createThreadMarks(database),
    threadRemovals: createThreadRemovals(database),
    temporaryThreads: createTemporaryThreads(database),
    expiredStoreItems: createExpiredStoreItems(database),
    webhookDeliveries: createWebhookDeliveries(database),
    memoryJobs: createMemoryJobs(database),
    scheduleFires: createScheduleFires(database),
    backgroundTasks: createBackgroundTasks(database),
    sharedSkillSwitches: createSharedSkillSwitches(database),
  };
}

function adoptOwnerlessThreads(database: Database, appendAudit: AppendAudit, userId: string) {
  return database.write(async (trx) => {
    const ownerless = trx.selectFrom('threads').select('thread_id').where('user_id', 'is', null);
    const { length: threads } = await database.locked(ownerless).execute();
    if (threads === 0) return 0;
    // Threads come last, because the other rows are found through them.
    for (const table of ['runs', 'run_events', 'thread_metadata', 'threads'] as const) {
      await sql`update ${sql.table(table)} set user_id = ${userId}
        where user_id is null and thread_id in (select thread_id from threads where user_id is null)`.execute(
        trx,
      );
    }
    const details = { threads };
    await appendAudit(trx, { act: 'threads_adopt', actor: null, clientIp: null, subject: userId, details });
    return threads;
  });
}

function rewriteProbe(database: Database, now: number): Promise<void> {
  return database.write((trx) => {
    const probe = trx.insertInto('write_probes').values({ id: 1, written_at: now });
    return apply(probe.onConflict((conflict) => conflict.column('id').doUpdateSet({ written_at: now })));
  });
}
