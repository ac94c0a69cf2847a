// What an error of Postgres, or of the way to it, means.
import { DEFECT, type DialectFailure } from './retry.ts';

const UNREACHABLE: DialectFailure = Object.freeze({
  kind: 'retry',
  detail: 'The database does not answer; check that it runs and that its address is right.',
});

const CONTENDED: DialectFailure = Object.freeze({
  kind: 'retry',
  detail: 'The database is busy with changes to the same rows; try again.',
});

/** SQLSTATE codes, or their two-character classes. */
const MEANINGS = new Map<string, DialectFailure>([
  ['08', UNREACHABLE],
  ['57P01', UNREACHABLE],
  ['57P02', UNREACHABLE],
  ['57P03', UNREACHABLE],
  // Somebody keeps everybody out of the database for a while, to copy or to replace it.
  ['55000', UNREACHABLE],
  // This process stood still in the middle of a transaction, so the server has ended it.
  ['25P03', UNREACHABLE],
  ['40', CONTENDED],
  ['55P03', CONTENDED],
  ['53300', { kind: 'retry', detail: 'The database takes no more connections; raise its limit or wait.' }],
  [
    '53100',
    { kind: 'refused', detail: 'The disk under the database is full; free some space and try again.' },
  ],
  ['53', { kind: 'refused', detail: 'The database is out of resources; see its log.' }],
  ['57014', { kind: 'refused', detail: 'The database took too long; try again when it is less busy.' }],
  ['25006', { kind: 'refused', detail: 'The database is read-only; point the service at the primary.' }],
  ['28', { kind: 'refused', detail: 'The database refused the credentials; check user and password.' }],
  ['3D000', { kind: 'refused', detail: 'The database does not exist; create it or correct its address.' }],
  ['58', { kind: 'refused', detail: 'The disk under the database is failing; see the log of the database.' }],
]);

/** Keeps a thread from having two running runs; two processes whose clocks differ may meet here. */
const ONE_RUNNING = 'runs_one_running';

/** A code of Node and not of Postgres: `ECONNRESET`, `EPROTO`, `ERR_SSL_…`. Whatever was asked may have happened. */
const CONNECTION_ERROR = /^E[A-Z_]+$/;

/**
 * A statement that was prepared before somebody changed its tables, that its connection does not have any more, or that a
 * pooler's connection has from somebody else.
 */
export function isOutdatedStatement(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const isChanged = error.code === '0A000' && 'routine' in error && error.routine === 'RevalidateCachedQuery';
  return isChanged || error.code === '26000' || error.code === '42P05';
}

/** pg reports a lost or late connection without a code. */
const CONNECTION_LOST =
  /connection terminated|connection timeout|timeout exceeded|not queryable|query read timeout/i;

export function postgresFailure(error: unknown): DialectFailure {
  if (!(error instanceof Error)) return DEFECT;
  if (isOutdatedStatement(error)) return CONTENDED;
  if ('code' in error && typeof error.code === 'string') {
    if (CONNECTION_ERROR.test(error.code)) return UNREACHABLE;
    if ('constraint' in error && error.constraint === ONE_RUNNING) return CONTENDED;
    return MEANINGS.get(error.code) ?? MEANINGS.get(error.code.slice(0, 2)) ?? DEFECT;
  }
  return CONNECTION_LOST.test(error.message) ? UNREACHABLE : DEFECT;
}
