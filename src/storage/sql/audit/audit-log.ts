// The audit log in SQL: appended to inside of the transaction of an act, read, and its chain checked.

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

/** Rows that are checked at once. */
const PAGE = 500;

export function createAuditLog(database: Database, appendAudit: AppendAudit): AuditLog {
  const head = () => database.read(readHead);
  const page = (after: number) => database.read((db) => rowsAfter(db, after));
  return {
    append: (entry) => database.write((trx) => appendAudit(trx, entry)),
    list: (query) =>
      database.read(async (db) => {
        // One more than asked for tells whether there is more.
        const rows = await matching(db, query)
          .orderBy('number', 'desc')
          .limit(query.limit + 1)
          .execute();
        return {
          entries: rows.slice(0, query.limit).map(toAuditRecord),
          hasMore: rows.length > query.limit,
        };
      }),
    head,
    verify: (known) => verifyChain({ head, page }, known),
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

async function readHead(db: Connection): Promise<AuditAnchor> {
  const head = db.selectFrom('audit_head').select(['number', 'hash']).where('id', '=', 1);
  return (await head.executeTakeFirst()) ?? { number: 0, hash: '' };
}

function rowsAfter(db: Connection, after: number): Promise<AuditLogTable[]> {
  const rows = db.selectFrom('audit_log').selectAll().where('number', '>', after);
  return rows.orderBy('number').limit(PAGE).execute();
}

interface ChainReader {
  readonly head: () => Promise<AuditAnchor>;
  readonly page: (after: number) => Promise<readonly AuditLogTable[]>;
}

/** Others may append meanwhile: the rows must reach the end that was known at the start, and none the later end. */
async function verifyChain(reader: ChainReader, known: AuditAnchor | undefined): Promise<AuditVerdict> {
  const anchors = [await reader.head(), ...(known === undefined ? [] : [known])];
  let last: AuditAnchor = { number: 0, hash: '' };
  for (;;) {
    const rows = await reader.page(last.number);
    if (rows.length === 0) break;
    for (const row of rows) {
      const why = wrongIn(row, last) ?? wrongAt(row, anchors);
      if (why !== undefined) return { kind: 'broken', number: last.number + 1, why };
      last = { number: row.number, hash: row.hash };
    }
  }
  const missing = anchors.find(({ number }) => number > last.number);
  if (missing !== undefined) {
    return {
      kind: 'broken',
      number: last.number + 1,
      why: `It is missing: there were ${missing.number} rows.`,
    };
  }
  const end = await reader.head();
  if (end.number < last.number) {
    return { kind: 'broken', number: end.number + 1, why: 'It was not appended by the service.' };
  }
  return { kind: 'whole', head: last };
}

function wrongIn(row: AuditLogTable, before: AuditAnchor): string | undefined {
  if (row.number !== before.number + 1) return 'It is missing.';
  if (row.previous_hash !== before.hash) return 'It does not follow the row before it.';
  return row.hash === auditHash(row) ? undefined : 'It was changed: its hash is another one.';
}

/** Rows that were all written anew fit each other, but not what was known of them. */
function wrongAt(row: AuditLogTable, anchors: readonly AuditAnchor[]): string | undefined {
  const anchor = anchors.find(({ number }) => number === row.number);
  if (anchor === undefined || anchor.hash === row.hash) return undefined;
  return 'It is not the row that is known to have stood there.';
}

/**
 * The last thing that a transaction does: it locks the end of the chain until the transaction is over, and what is
 * locked after nothing else cannot be part of a deadlock.
 */
export type AppendAudit = (trx: WriteTransaction, entry: NewAuditEntry) => Promise<AuditRecord>;

export function createAppendAudit(database: Database, now: () => number): AppendAudit {
  return async (trx, entry) => {
    const end = trx.selectFrom('audit_head').select(['number', 'hash']).where('id', '=', 1);
    const head = await database.locked(end).executeTakeFirstOrThrow();
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
 * sha-256 over a JSON array of all fields in a fixed order, the stored text of the details as it is, and the hash of
 * the row before. The first element names the encoding.
 */
export function auditHash(row: Omit<AuditLogTable, 'hash'>): string {
  const { number, at, actor, client_ip, act, subject, details, previous_hash } = row;
  const fields = ['audit-1', number, at, actor, client_ip, act, subject, details, previous_hash];
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
}

function toAuditRecord(row: AuditLogTable): AuditRecord {
  return {
    number: row.number,
    at: row.at,
    actor: row.actor,
    clientIp: row.client_ip,
    act: row.act,
    subject: row.subject,
    details: parseJsonObject(row.details),
    previousHash: row.previous_hash,
    hash: row.hash,
  };
}

/** The text that the column will hold: what is hashed is what is read back. */
function storable(text: string | null): string | null {
  return text === null ? null : bindable(text).toWellFormed();
}
