// All migrations, oldest first. Append only.
import { firstTables } from './0001-first-tables.ts';
import { lifecycleAndCopies } from './0002-lifecycle-and-copies.ts';
import { cancelRequests } from './0003-cancel-requests.ts';
import { threadRemovals } from './0004-thread-removals.ts';
import { packedTexts } from './0005-packed-texts.ts';
import { subagentCheckpoints } from './0006-subagent-checkpoints.ts';
import { temporaryThreads } from './0007-temporary-threads.ts';
import { auditLog } from './0008-audit-log.ts';
import { messageSearch } from './0009-message-search.ts';
import { apiKeys } from './0010-api-keys.ts';
import { usageDays } from './0011-usage-days.ts';
import { record } from './0012-record.ts';
import { threadImports } from './0013-thread-imports.ts';
import { accountRemovals } from './0014-account-removals.ts';
import { eventRetention } from './0015-event-retention.ts';
import { rareEvents } from './0016-rare-events.ts';
import { budgetReservations } from './0017-budget-reservations.ts';
import { rowSecurity } from './0018-row-security.ts';
import { messageRevisions } from './0019-message-revisions.ts';
import { formerHeads } from './0020-former-heads.ts';
import { usageBeforeDays } from './0021-usage-before-days.ts';
import { metadataOwners } from './0022-metadata-owners.ts';
import { rowOwners } from './0023-row-owners.ts';
import { sessions } from './0024-sessions.ts';
import { runNumbers } from './0025-run-numbers.ts';
import { waitingRuns } from './0026-waiting-runs.ts';
import { metadataSizes } from './0027-metadata-sizes.ts';
import { storeItems } from './0028-store-items.ts';
import { runPlaces } from './0029-run-places.ts';
import { webhookDeliveries } from './0030-webhook-deliveries.ts';
import { headMoves } from './0031-line-moves.ts';
import { searchMerges } from './0032-search-merges.ts';
import { threadActivity } from './0033-thread-activity.ts';
import { skillStates } from './0034-skill-states.ts';
import { agents } from './0035-agents.ts';
import { memories } from './0036-memories.ts';
import { schedules } from './0037-schedules.ts';
import { backgroundTasks } from './0038-background-tasks.ts';
import { workers } from './0039-workers.ts';
import { runLog } from './0040-run-log.ts';
import { runEpochs } from './0041-run-epochs.ts';
import { runQueues } from './0042-run-queues.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  lifecycleAndCopies,
  cancelRequests,
  threadRemovals,
  packedTexts,
  subagentCheckpoints,
  temporaryThreads,
  auditLog,
  messageSearch,
  apiKeys,
  usageDays,
  record,
  threadImports,
  accountRemovals,
  eventRetention,
  rareEvents,
  budgetReservations,
  rowSecurity,
  messageRevisions,
  formerHeads,
  usageBeforeDays,
  metadataOwners,
  rowOwners,
  sessions,
  runNumbers,
  waitingRuns,
  metadataSizes,
  storeItems,
  runPlaces,
  webhookDeliveries,
  headMoves,
  searchMerges,
  threadActivity,
  skillStates,
  agents,
  memories,
  schedules,
  backgroundTasks,
  workers,
  runLog,
  runEpochs,
  runQueues,
];
