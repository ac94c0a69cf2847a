// All contract suites: what is true of one storage is true of every other.
import type { Storage } from '../../src/storage/storage.ts';
import { apiKeysContract } from './api-keys.contract.ts';
import { auditLogContract } from './audit-log.contract.ts';
import { budgetReservationsContract } from './budget-reservations.contract.ts';
import { checkpointsContract } from './checkpoints.contract.ts';
import { conversationContract } from './conversation.contract.ts';
import { copiesContract } from './copies.contract.ts';
import { everyRepositoryContract } from './every-repository.contract.ts';
import { feedbackContract } from './feedback.contract.ts';
import { frameRetentionContract } from './frame-retention.contract.ts';
import { framesContract } from './frames.contract.ts';
import { messageSearchContract } from './message-search.contract.ts';
import { runAdmissionContract } from './run-admission.contract.ts';
import { runCancellationContract } from './run-cancellation.contract.ts';
import { runCommitsContract } from './run-commits.contract.ts';
import { runEventsContract } from './run-events.contract.ts';
import { runLeasesContract } from './run-leases.contract.ts';
import { runsContract } from './runs.contract.ts';
import { sessionsContract } from './sessions.contract.ts';
import { storageContract } from './storage.contract.ts';
import { threadExportsContract } from './thread-exports.contract.ts';
import { threadRemovalsContract } from './thread-removals.contract.ts';
import { threadsContract } from './threads.contract.ts';
import { usageContract } from './usage.contract.ts';
import { usersContract } from './users.contract.ts';

/** `open` gives an empty storage each time. */
export function allContracts(open: () => Promise<Storage>): void {
  storageContract(open);
  everyRepositoryContract(open);
  usersContract(open);
  auditLogContract(open);
  apiKeysContract(open);
  sessionsContract(open);
  threadsContract(open);
  threadExportsContract(open);
  threadRemovalsContract(open);
  runsContract(open);
  runAdmissionContract(open);
  runCancellationContract(open);
  runEventsContract(open);
  conversationContract(open);
  feedbackContract(open);
  framesContract(open);
  frameRetentionContract(open);
  checkpointsContract(open);
  copiesContract(open);
  runLeasesContract(open);
  runCommitsContract(open);
  messageSearchContract(open);
  usageContract(open);
  budgetReservationsContract(open);
}
