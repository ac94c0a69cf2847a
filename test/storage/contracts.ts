// All contract suites: each storage must pass every one of them.
import type { Storage } from '../../src/storage/storage.ts';
import { admissionClaimsContract } from './admission-claims.contract.ts';
import { agentsContract } from './agents.contract.ts';
import { apiKeysContract } from './api-keys.contract.ts';
import { auditLogContract } from './audit-log.contract.ts';
import { backgroundTasksContract } from './background-tasks.contract.ts';
import { budgetReservationsContract } from './budget-reservations.contract.ts';
import { checkpointsContract } from './checkpoints.contract.ts';
import { conversationContract } from './conversation.contract.ts';
import { copiesContract } from './copies.contract.ts';
import { everyRepositoryContract } from './every-repository.contract.ts';
import { feedbackContract } from './feedback.contract.ts';
import { frameRetentionContract } from './frame-retention.contract.ts';
import { framesContract } from './frames.contract.ts';
import { memoriesContract } from './memories.contract.ts';
import { memoryJobsContract } from './memory-jobs.contract.ts';
import { messageSearchContract } from './message-search.contract.ts';
import { runAdmissionContract } from './run-admission.contract.ts';
import { runCancellationContract } from './run-cancellation.contract.ts';
import { runCommitsContract } from './run-commits.contract.ts';
import { runEventsContract } from './run-events.contract.ts';
import { runLeasesContract } from './run-leases.contract.ts';
import { runLogContract } from './run-log.contract.ts';
import { runReleasesContract } from './run-releases.contract.ts';
import { runsContract } from './runs.contract.ts';
import { sessionsContract } from './sessions.contract.ts';
import { skillStatesContract } from './skill-states.contract.ts';
import { storageContract } from './storage.contract.ts';
import { storeItemsContract } from './store-items.contract.ts';
import { threadExportsContract } from './thread-exports.contract.ts';
import { threadImportsContract } from './thread-imports.contract.ts';
import { threadMarksContract } from './thread-marks.contract.ts';
import { threadRemovalsContract } from './thread-removals.contract.ts';
import { threadsContract } from './threads.contract.ts';
import { usageContract } from './usage.contract.ts';
import { usersContract } from './users.contract.ts';
import { webhookDeliveriesContract } from './webhook-deliveries.contract.ts';

/**
 * `open` returns an empty storage each time, possibly the same one. A storage of `openOwn` may be closed,
 * opened twice, or filled so much that a server has to plan for it.
 */
export function allContracts(open: () => Promise<Storage>, openOwn = open): void {
  storageContract(openOwn);
  everyRepositoryContract(open);
  usersContract(open);
  auditLogContract(open);
  apiKeysContract(open);
  sessionsContract(open);
  storeItemsContract(open);
  skillStatesContract(open);
  agentsContract(open);
  memoriesContract(open);
  memoryJobsContract(open);
  backgroundTasksContract(open);
  webhookDeliveriesContract(open);
  threadsContract(open);
  threadExportsContract(open);
  threadMarksContract(open);
  threadImportsContract(open);
  threadRemovalsContract(open);
  runsContract(open);
  runAdmissionContract(open);
  admissionClaimsContract(open);
  runCancellationContract(open);
  runEventsContract(open);
  conversationContract(open);
  feedbackContract(open);
  framesContract(open);
  frameRetentionContract(open);
  checkpointsContract(openOwn);
  copiesContract(open);
  runLeasesContract(open);
  runReleasesContract(open);
  runCommitsContract(open);
  runLogContract(open);
  messageSearchContract(open);
  usageContract(open);
  budgetReservationsContract(open);
}
