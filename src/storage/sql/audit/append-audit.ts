// Appends to the audit log inside of a transaction, so that an act and its row are durable together.
import { createHash } from 'node:crypto';
import type { AuditRecord, NewAuditEntry } from '../../audit-log.ts';
import type { AuditLogTable } from '../database/account-tables.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { bindable } from '../database/dialects/bindable.ts';
import { canonicalJson, parseJsonObject } from '../database/json-column.ts';

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

export function toAuditRecord(row: AuditLogTable): AuditRecord {
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
