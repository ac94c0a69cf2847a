// What writes the record of threads, inside of whichever transaction: made once, shared by all who write it.
import { type AppendRunEvents, createAppendRunEvents } from './append-run-events.ts';
import { createInsertCheckpoints, type InsertCheckpoints } from './checkpoint-rows.ts';
import type { Database } from './database.ts';
import { createMessageRevisions, type MessageRevisions } from './message-revisions.ts';
import { createSearchEntries, type SearchEntries } from './search-entries.ts';

export interface RecordWriters {
  readonly searchEntries: SearchEntries;
  readonly appendRunEvents: AppendRunEvents;
  readonly messageRevisions: MessageRevisions;
  readonly insertCheckpoints: InsertCheckpoints;
}

export function createRecordWriters(database: Database): RecordWriters {
  const searchEntries = createSearchEntries(database);
  const appendRunEvents = createAppendRunEvents(database, searchEntries);
  const messageRevisions = createMessageRevisions(database, { appendRunEvents, searchEntries });
  const insertCheckpoints = createInsertCheckpoints(database);
  return { searchEntries, appendRunEvents, messageRevisions, insertCheckpoints };
}
