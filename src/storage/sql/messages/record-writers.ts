// The writers of the threads' record, usable in any transaction: created once and shared.

import { createInsertCheckpoints } from '../checkpoints/checkpoint-rows.ts';
import type { Database } from '../database/database.ts';
import { createSearchEntries } from '../search/search-entries.ts';
import { createAppendRunEvents } from './append-run-events.ts';
import { createHeadMoves } from './head-moves.ts';
import { createAppendRevisions, createMessageRevisions } from './message-revisions.ts';
import { createStagedMessages } from './staged-messages.ts';

export type RecordWriters = Readonly<ReturnType<typeof createRecordWriters>>;

export function createRecordWriters(database: Database) {
  const searchEntries = createSearchEntries(database);
  const appendRunEvents = createAppendRunEvents(database, searchEntries);
  const appendRevisions = createAppendRevisions(database, appendRunEvents);
  const messageRevisions = createMessageRevisions(database, { appendRevisions, searchEntries });
  const stagedMessages = createStagedMessages(database, { appendRevisions, searchEntries });
  const headMoves = createHeadMoves(database, stagedMessages);
  const insertCheckpoints = createInsertCheckpoints(database);
  return { searchEntries, appendRunEvents, messageRevisions, headMoves, insertCheckpoints };
}
