// The writers of the threads' record, usable in any transaction: created once and shared.

import { createInsertCheckpoints, type InsertCheckpoints } from '../checkpoints/checkpoint-rows.ts';
import type { Database } from '../database/database.ts';
import { createSearchEntries, type SearchEntries } from '../search/search-entries.ts';
import { type AppendRunEvents, createAppendRunEvents } from './append-run-events.ts';
import { createHeadMoves, type HeadMoves } from './head-moves.ts';
import { createAppendRevisions, createMessageRevisions, type MessageRevisions } from './message-revisions.ts';
import { createStagedMessages } from './staged-messages.ts';

export interface RecordWriters {
  readonly searchEntries: SearchEntries;
  readonly appendRunEvents: AppendRunEvents;
  readonly messageRevisions: MessageRevisions;
  readonly headMoves: HeadMoves;
  readonly insertCheckpoints: InsertCheckpoints;
}

export function createRecordWriters(database: Database): RecordWriters {
  const searchEntries = createSearchEntries(database);
  const appendRunEvents = createAppendRunEvents(database, searchEntries);
  const appendRevisions = createAppendRevisions(database, appendRunEvents);
  const messageRevisions = createMessageRevisions(database, { appendRevisions, searchEntries });
  const stagedMessages = createStagedMessages(database, { appendRevisions, searchEntries });
  const headMoves = createHeadMoves(database, stagedMessages);
  const insertCheckpoints = createInsertCheckpoints(database);
  return { searchEntries, appendRunEvents, messageRevisions, headMoves, insertCheckpoints };
}
