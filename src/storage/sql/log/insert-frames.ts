// Inserts pieces of the streams of runs into `run_frames`.
import { createBulkInsert } from '../database/bulk-statement.ts';
import type { Database } from '../database/database.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { ownerColumns } from '../database/row-owners.ts';

export const FRAME_PLACE = plainColumns(['first_seq', 'last_seq', 'attempt']);

/** Creates the statement. The owner of a row is the owner of its run. */
export function createInsertFrames(database: Database) {
  return createBulkInsert(database.queries, {
    into: 'run_frames',
    columns: ['run_id', ...FRAME_PLACE.names, 'events', ...ownerColumns(database)],
  });
}
