// A row of the audit log in its wire format.
import { z } from 'zod';
import { AUDIT_ACTS } from '../../storage/audit-log.ts';
import { presenterOf } from './presenter-of.ts';
import { timeField } from './wire-fields.ts';

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

export const presentAuditEntry = presenterOf(auditEntrySchema);
