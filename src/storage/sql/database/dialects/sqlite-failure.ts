// What an error of SQLite means.
import { DEFECT, type DialectFailure } from './dialect-failure.ts';

/** Primary result codes (sqlite.org/rescode.html). */
const MEANINGS = new Map<number, DialectFailure>([
  [5, { kind: 'retry', detail: 'The database is locked by another process; try again in a moment.' }],
  [6, { kind: 'retry', detail: 'The database is locked; try again in a moment.' }],
  [7, { kind: 'refused', detail: 'The machine has no memory left for the database.' }],
  [8, { kind: 'refused', detail: 'The database file is read-only; make it writable for the service.' }],
  [10, { kind: 'refused', detail: 'The disk under the database fails; check the disk and its free space.' }],
  [11, { kind: 'refused', detail: 'The database file is damaged; restore it from a backup.' }],
  [13, { kind: 'refused', detail: 'The disk under the database is full; free some space and try again.' }],
  [14, { kind: 'refused', detail: 'The database file cannot be opened; check its folder and permissions.' }],
  [26, { kind: 'refused', detail: 'The database file is not a SQLite database; check the configured path.' }],
]);

/** Reasons to give up that come from the file system, before SQLite sees the file. */
const FILE_ERRORS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOSPC', 'EMFILE']);

export function sqliteFailure(error: unknown): DialectFailure {
  if (!(error instanceof Error)) return DEFECT;
  if ('errcode' in error && typeof error.errcode === 'number') {
    return MEANINGS.get(error.errcode & 0xff) ?? DEFECT;
  }
  if ('code' in error && typeof error.code === 'string' && FILE_ERRORS.has(error.code)) {
    return {
      kind: 'refused',
      detail: 'The database file cannot be opened; check its folder and permissions.',
    };
  }
  return DEFECT;
}
