// All migrations, oldest first. Append only.
import { firstTables } from './0001-first-tables.ts';
import { lifecycleAndCopies } from './0002-lifecycle-and-copies.ts';
import { cancelRequests } from './0003-cancel-requests.ts';
import { threadRemovals } from './0004-thread-removals.ts';
import { packedTexts } from './0005-packed-texts.ts';
import { subagentCheckpoints } from './0006-subagent-checkpoints.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  lifecycleAndCopies,
  cancelRequests,
  threadRemovals,
  packedTexts,
  subagentCheckpoints,
];
