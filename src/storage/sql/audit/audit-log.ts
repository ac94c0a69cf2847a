// The audit log in SQL: appends within the transaction of an act, reads, and checks of its chain.

import { createHash } from 'node:crypto';
import type {
  AuditAnchor,
  AuditLog,
  AuditQuery,
  AuditRecord,
  AuditVerdict,
  NewAuditEntry,
} from '../../audit-log.ts';
import type { AuditLogTable } from '../database/account-tables.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { canonicalJson, parseJsonObject } from '../database/json-column.ts';
import { bindable } from '../database/packed-text.ts';
import { plainColumns } from '../database/plain-columns.ts';

/** Number of rows that are checked at a time. */
const PAGE = 500;

export function createAuditLog(database: Database, appendAudit: AppendAudit): AuditLog {
  return {
    append: (entry) => database.write((trx) => appendAudit(trx, entry)),
    list: (query) =>
      database.read(async (db) => {
        // One more row than requested shows whether there are more.
        const rows = await matching(db, query)
          .orderBy('number', 'desc')
          .limit(query.limit + 1)
          .execute();
        return {
          entries: rows.slice(0, query.limit).map(toAuditRecord),
          hasMore: rows.length > query.limit,
        };
      }),
    head: () => database.read(readHead),
    verify: (known) => verifyChain(database, known),
  };
}

function matching(db: Connection, { act, actor, since, before }: AuditQuery) {
  let rows = db.selectFrom('audit_log').selectAll();
  if (act !== undefined) rows = rows.where('act', '=', act);
  if (actor !== undefined) rows = rows.where('actor', '=', actor);
  if (since !== undefined) rows = rows.where('at', '>=', since);
  if (before !== undefined) rows = rows.where('number', '<', before);
  return rows;
}

const NO_ROWS: AuditAnchor = { number: 0, hash: '' };

function headOf(db: Connection) {
  return db.selectFrom('audit_head').select(['number', 'hash']).where('id', '=', 1);
}

async function readHead(db: Connection): Promise<AuditAnchor> {
  return (await headOf(db).executeTakeFirst()) ?? NO_ROWS;
}

function rowsAfter(db: Connection, after: number): Promise<AuditLogTable[]> {
  const rows = db.selectFrom('audit_log').selectAll().where('number', '>', after);
  return rows.orderBy('number').limit(PAGE).execute();
}

/**
 * Verifies the chain. Others may append during the check: the rows must reach the end known at the start, and
 * none may lie beyond the later end.
 */
async function verifyChain(database: Database, known: AuditAnchor | undefined): Promise<AuditVerdict> {
  const anchors = [await database.read(readHead), ...(known === undefined ? [] : [known])];
  let last = NO_ROWS;
  for (;;) {
    const { number: after } = last;
    const rows = await database.read((db) => rowsAfter(db, after));
    if (rows.length === 0) break;
    for (const row of rows) {
      const why = wrongIn(row, last) ?? wrongAt(row, anchors);
      if (why !== undefined) return { kind: 'broken', number: last.number + 1, why };
      last = { number: row.number, hash: row.hash };
    }
  }
  const missing = anchors.find(({ number }) => number > last.number);
  if (missing !== undefined) {
    const why = `It is missing: there were ${missing.number} rows.`;
    return { kind: 'broken', number: last.number + 1, why };
  }
  const end = await database.read(readHead);
  if (end.number < last.number) {
    return { kind: 'broken', number: end.number + 1, why: 'It was not appended by the service.' };
  }
  return { kind: 'whole', head: last };
}

function wrongIn(row: AuditLogTable, before: AuditAnchor): string | undefined {
  if (row.number !== before.number + 1) return 'It is missing.';
  if (row.previous_hash !== before.hash) return 'It does not follow the row before it.';
  return row.hash === auditHash(row) ? undefined : 'It was changed: its hash does not match.';
}

/**
 * Checks a row against known anchors. Rows that were all rewritten fit each other, but not the known hashes.
 */
function wrongAt(row: AuditLogTable, anchors: readonly AuditAnchor[]): string | undefined {
  const anchor = anchors.find(({ number }) => number === row.number);
  if (anchor === undefined || anchor.hash === row.hash) return undefined;
  return 'It is not the row of the anchor.';
}

/**
 * Appends an entry, as the last step of a transaction: it locks the end of the chain until the transaction
 * ends, and a lock taken after all others cannot be part of a deadlock.
 */
export type AppendAudit = (trx: WriteTransaction, entry: NewAuditEntry) => Promise<AuditRecord>;

export function createAppendAudit(database: Database, now: () => number): AppendAudit {
  return async (trx, entry) => {
    const head = await database.locked(headOf(trx)).executeTakeFirstOrThrow();
    const unhashed = {
      number: head.number + 1,
      at: now(),
      actor: storable(entry.actor),
      client_ip: storable(entry.clientIp),
      act: entry.act,
      subject: storable(entry.subject),
      details: canonicalJson(entry.details ?? {}),
      previous_hash: head.hash,
    };
    const row = { ...unhashed, hash: auditHash(unhashed) };
    await trx.insertInto('audit_log').values(row).execute();
    const { number, hash } = row;
    await trx.updateTable('audit_head').set({ number, hash }).where('id', '=', 1).execute();
    return toAuditRecord(row);
  };
}

/**
 * Returns the sha-256 of a JSON array of all fields in a fixed order, with the details as stored text and the
 * hash of the previous row. The first element names the encoding.
 */
export function auditHash(row: Omit<AuditLogTable, 'hash'>): string {
  const { number, at, actor, client_ip, act, subject, details, previous_hash } = row;
  const fields = ['audit-1', number, at, actor, client_ip, act, subject, details, previous_hash];
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
}

const PLAIN = plainColumns(['number', 'at', 'actor', 'client_ip', 'act', 'subject', 'previous_hash', 'hash']);

function toAuditRecord(row: AuditLogTable): AuditRecord {
  return { ...PLAIN.fieldsOf(row), details: parseJsonObject(row.details) };
}

/** Returns the text that the column will hold, so that the hashed text is the one that is read back. */
function storable(text: string | null): string | null {
  return text === null ? null : bindable(text).toWellFormed();
}
