// The storage port on one open database whose schema is up to date.
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Owner, Repositories, Storage } from '../storage.ts';
import { createAccountRemovals } from './account-removals.ts';
import { createAddUsage } from './add-usage.ts';
import { createAgentRepository, createAgentVersions } from './agent-repository.ts';
import { createApiKeyRegistry, createApiKeyRepository } from './api-key-repository.ts';
import { type AppendAudit, createAppendAudit } from './append-audit.ts';
import { createAuditLog } from './audit-log.ts';
import { createBackgroundTaskRepository, createBackgroundTasks } from './background-tasks.ts';
import { createBudgetReservations, createReleaseReservations } from './budget-reservations.ts';
import { createCheckpointRepository } from './checkpoint-repository.ts';
import { createCommitStatements } from './commit-statements.ts';
import type { Database } from './database.ts';
import { createEventRetention } from './event-retention.ts';
import { createFeedbackRepository } from './feedback-repository.ts';
import { createFrameRepository } from './frame-repository.ts';
import { createFrameRetention } from './frame-retention.ts';
import { createMemoryJobs } from './memory-jobs.ts';
import { createMemoryRepository } from './memory-repository.ts';
import { createMessageSearch } from './message-search.ts';
import { requireOwner } from './owner-filter.ts';
import { createProjections } from './projections/projections.ts';
import { createRecordWriters } from './record-writers.ts';
import { createRunCommits } from './run-commits.ts';
import { createRunEventRepository } from './run-event-repository.ts';
import { createRunLeases } from './run-leases.ts';
import { createRunRepository } from './run-repository.ts';
import { createScheduleFires } from './schedule-fires.ts';
import { createScheduleRepository } from './schedule-repository.ts';
import { createSearchIndex } from './search-index.ts';
import { createSessionRegistry, createSessionRepository } from './session-repository.ts';
import { createSharedSkillSwitches, createSkillStates } from './skill-states.ts';
import { createExpiredStoreItems, createStoreItemRepository } from './store-item-repository.ts';
import { createTemporaryThreads } from './temporary-threads.ts';
import { createThreadExports } from './thread-exports.ts';
import { createThreadImports } from './thread-imports.ts';
import { createThreadMarks } from './thread-marks.ts';
import { createThreadRemovals } from './thread-removals.ts';
import { createThreadRepository } from './thread-repository.ts';
import { createUsageRepository } from './usage-repository.ts';
import { createUserRepository } from './user-repository.ts';
import { createWebhookDeliveries, createWebhookReports } from './webhook-deliveries.ts';

/** Repositories hold nothing of their own: requests and streams of one owner share them. */
const OWNERS_KEPT = 1_000;

/** Closing the storage closes the database. */
export function createSqlStorage(database: Database, now: () => number): Storage {
  const appendAudit = createAppendAudit(database, now);
  const writers = createRecordWriters(database);
  const { searchEntries, appendRunEvents, messageRevisions, lineMoves } = writers;
  const addUsage = createAddUsage(database);
  const { patchRuns } = createCommitStatements(database);
  const releaseReservations = createReleaseReservations(database);
  const searchIndex = createSearchIndex(database, searchEntries);
  const kept = new LRUCache<Owner, Repositories>({ max: OWNERS_KEPT });
  const create = (owner: Owner): Repositories => {
    const owned = database.ownedBy(owner);
    const threadParts = { database: owned, families: database, appendAudit, searchEntries, owner } as const;
    const runEvents = createRunEventRepository(owned, owner);
    const feedback = createFeedbackRepository(owned, owner);
    return {
      threads: createThreadRepository(threadParts),
      runs: createRunRepository({ database: owned, appendRunEvents, owner }),
      runEvents,
      feedback,
      frames: createFrameRepository(owned, owner),
      checkpoints: createCheckpointRepository({ ...writers, database: owned, owner }),
      search: createMessageSearch(owned, owner),
      apiKeys: createApiKeyRepository(owned, appendAudit, owner),
      sessions: createSessionRepository(owned, appendAudit, owner),
      usage: createUsageRepository({ database: owned, owner, addUsage, appendRunEvents, patchRuns }),
      threadExports: createThreadExports(owned, { feedback, lineMoves }, owner),
      storeItems: createStoreItemRepository(owned, owner),
      webhooks: createWebhookReports(owned, owner),
      skillStates: createSkillStates(owned, owner),
      agents: createAgentRepository(owned, owner),
      memories: createMemoryRepository(owned, owner),
      schedules: createScheduleRepository(owned, owner),
      backgroundTasks: createBackgroundTaskRepository(owned, owner),
    };
  };
  return {
    as(asked) {
      const owner = requireOwner(asked);
      const known = kept.get(owner);
      if (known !== undefined) return known;
      const created = create(owner);
      kept.set(owner, created);
      return created;
    },
    users: createUserRepository(database, appendAudit),
    audit: createAuditLog(database, appendAudit),
    apiKeys: createApiKeyRegistry(database, appendAudit),
    sessions: createSessionRegistry(database, appendAudit),
    runCommits: createRunCommits(database, { ...writers, addUsage, releaseReservations }),
    accountRemovals: createAccountRemovals(database, appendAudit),
    threadImports: createThreadImports(database, { ...writers, appendAudit }),
    agentVersions: createAgentVersions(database),
    adoptOwnerlessThreads: (userId) => adoptOwnerlessThreads({ database, appendAudit, userId }),
    searchIndex,
    projections: createProjections(database, { searchIndex, messageRevisions, lineMoves }),
    ...withoutOthers(database),
    checkWritable: () => rewriteProbe(database, now()),
    close: () => database.close(),
  };
}

/** What needs nothing but the database. */
function withoutOthers(database: Database) {
  return {
    runLeases: createRunLeases(database),
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

function adoptOwnerlessThreads({
  database,
  appendAudit,
  userId,
}: {
  readonly database: Database;
  readonly appendAudit: AppendAudit;
  readonly userId: string;
}): Promise<number> {
  return database.write(async (trx) => {
    const ownerless = trx.selectFrom('threads').select('thread_id').where('user_id', 'is', null);
    const ids = (await database.locked(ownerless).execute()).map((row) => row.thread_id);
    if (ids.length === 0) return 0;
    // The threads last: until then they are how the rest is found.
    for (const table of ['runs', 'run_events', 'thread_metadata', 'threads'] as const) {
      await sql`update ${sql.table(table)} set user_id = ${userId}
        where user_id is null and thread_id in (select thread_id from threads where user_id is null)`.execute(
        trx,
      );
    }
    const details = { threads: ids.length };
    await appendAudit(trx, { act: 'threads_adopt', actor: null, clientIp: null, subject: userId, details });
    return ids.length;
  });
}

async function rewriteProbe(database: Database, now: number): Promise<void> {
  await database.write((trx) =>
    trx
      .insertInto('write_probes')
      .values({ id: 1, written_at: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ written_at: now }))
      .execute(),
  );
}
