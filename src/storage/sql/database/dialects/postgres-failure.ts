// The meaning of errors of Postgres and of the connection to it.
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
  // An operator has closed the database for a while, to copy or replace it.
  ['55000', UNREACHABLE],
  // This process stalled in the middle of a transaction, so the server has ended it.
  ['25P03', UNREACHABLE],
  ['40', CONTENDED],
  ['55P03', CONTENDED],
  ['53300', { kind: 'retry', detail: 'The database accepts no more connections; raise its limit or wait.' }],
  ['53100', { kind: 'refused', detail: 'The disk of the database is full; free some space and try again.' }],
  ['53', { kind: 'refused', detail: 'The database is out of resources; see its log.' }],
  ['57014', { kind: 'refused', detail: 'The database took too long; try again when it is less busy.' }],
  ['25006', { kind: 'refused', detail: 'The database is read-only; point the service at the primary.' }],
  ['28', { kind: 'refused', detail: 'The database refused the credentials; check user and password.' }],
  ['3D000', { kind: 'refused', detail: 'The database does not exist; create it or correct its address.' }],
  ['58', { kind: 'refused', detail: 'The disk of the database is failing; see the log of the database.' }],
]);

/** Prevents two running runs on a thread. Two processes whose clocks differ may collide here. */
const ONE_RUNNING = 'runs_one_running';

/**
 * A code of Node, not of Postgres: `ECONNRESET`, `EPROTO`, `ERR_SSL_…`. The statement may have been executed.
 */
const CONNECTION_ERROR = /^E[A-Z_]+$/;

/**
 * Whether a prepared statement is outdated: its tables have changed since, its connection no longer has it,
 * or a pooler's connection has one of another client under its name.
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
