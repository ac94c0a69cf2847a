// The audit log, for administrators.
import { z } from 'zod';
import { AUDIT_ACTS, type AuditLog } from '../../storage/audit-log.ts';
import { queryInteger, queryLimit, timeInput } from '../api/query-list.ts';
import { requireAdministrator } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { presenterOf } from '../presenters/presenter-of.ts';
import { timeField } from '../presenters/wire-fields.ts';

const querySchema = z.object({
  limit: queryLimit('Entries', { max: 200, usual: 50 }),
  before: queryInteger({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .describe('Only entries with a smaller number'),
  since: timeInput().optional().describe('Only entries from this time on'),
  user: z.string().min(1).max(64).optional().describe('The id of a user: only actions of that user'),
  act: z.enum(AUDIT_ACTS).optional().describe('Only actions of this kind'),
});

const auditEntrySchema = z
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

const presentAuditEntry = presenterOf(auditEntrySchema);

const pageSchema = z.object({
  data: z.array(auditEntrySchema),
  has_more: z.boolean(),
  /** The value of `before` for the next page. */
  next_before: z.int().nullable(),
});

export function auditRoutes(routes: RouteTable, { audit }: { readonly audit: AuditLog }): void {
  routes.get('/api/audit', {
    operationId: 'listAuditEntries',
    errors: ['forbidden'],
    summary: 'Security-relevant actions, newest first; administrators only',
    query: querySchema,
    responses: ok('A page of the log', pageSchema),
    handle: async (c, { query }) => {
      requireAdministrator(c);
      const { user: actor, ...filter } = query;
      const { entries, hasMore } = await audit.list({ ...filter, actor });
      const next_before = hasMore ? (entries.at(-1)?.number ?? null) : null;
      return c.json({ data: entries.map(presentAuditEntry), has_more: hasMore, next_before });
    },
  });
}
