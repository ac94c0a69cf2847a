// The tables of accounts: users, their credentials, and the audit log. Conventions as in `tables.ts`.
import type { ApiKeyRecord } from '../../api-keys.ts';
import type { AuditRecord } from '../../audit-log.ts';
import type { SessionRecord } from '../../sessions.ts';
import type { AccountRemoval, UserRecord } from '../../users.ts';
import type { ColumnsOf } from './plain-columns.ts';

export interface UsersTable extends ColumnsOf<Omit<UserRecord, 'needsSetup'>> {
  /** The e-mail in lower case. Unique. */
  email_key: string;
  needs_setup: number;
}

export interface ApiKeysTable extends ColumnsOf<Omit<ApiKeyRecord, 'scopes'>> {
  /** sha-256 of the key. Unique. */
  hash: string;
  /** Separated by spaces. */
  scopes: string;
}

export interface AuditLogTable extends ColumnsOf<Omit<AuditRecord, 'details'>> {
  /** Canonical JSON. */
  details: string;
}

/** A single row: the end of the chain. */
interface AuditHeadTable {
  id: number;
  number: number;
  hash: string;
}

/** One row per deleted account of which data may remain. */
interface AccountRemovalsTable extends ColumnsOf<AccountRemoval> {
  deleted_at: number;
}

export interface AccountTables {
  users: UsersTable;
  /** One row per sign-in. Signing out removes it. */
  sessions: ColumnsOf<SessionRecord>;
  api_keys: ApiKeysTable;
  audit_log: AuditLogTable;
  audit_head: AuditHeadTable;
  account_removals: AccountRemovalsTable;
}

/** Tables whose rows belong to a user but to no thread, in deletion order. */
export const PERSONAL_TABLES = [
  'api_keys',
  'sessions',
  'usage_days',
  'idempotency_keys',
  'feedback',
  'store_items',
  'skill_switches',
  'skill_claims',
  'agent_versions',
  'agents',
  'memories',
  'memory_switches',
  'memory_jobs',
  'schedule_fires',
  'schedules',
  'background_tasks',
] as const;
