// A row of the audit log as the wire shows it.
import { z } from 'zod';
import { AUDIT_ACTS, type AuditRecord } from '../../storage/audit-log.ts';
import { timeField, timestamp } from './wire-fields.ts';

export const auditEntrySchema = z
  .object({
    number: z.int(),
    at: timeField,
    act: z.enum(AUDIT_ACTS),
    actor: z.string().nullable(),
    client_ip: z.string().nullable(),
    subject: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    previous_hash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditEntry' });

export function presentAuditEntry(entry: AuditRecord): z.output<typeof auditEntrySchema> {
  return {
    number: entry.number,
    at: timestamp(entry.at),
    act: entry.act,
    actor: entry.actor,
    client_ip: entry.clientIp,
    subject: entry.subject,
    details: { ...entry.details },
    previous_hash: entry.previousHash,
    hash: entry.hash,
  };
}
