// The tables of accounts: who they are, what signs them in, and what was done. As in `tables.ts`.
import type { AuditAct } from '../../audit-log.ts';
import type { SystemRole } from '../../users.ts';

export interface UsersTable {
  id: string;
  email: string;
  /** The e-mail in lower case; unique. */
  email_key: string;
  password_hash: string | null;
  system_role: SystemRole;
  needs_setup: number;
  token_version: number;
  oauth_provider: string | null;
  oauth_id: string | null;
  created_at: number;
}

/** One row per sign-in; signing out removes it. */
export interface SessionsTable {
  session_id: string;
  user_id: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
  confirmed_at: number;
  device: string;
  client_ip: string;
}

export interface ApiKeysTable {
  key_id: string;
  user_id: string;
  name: string;
  hint: string;
  /** sha-256 of the key; unique. */
  hash: string;
  /** Separated by spaces. */
  scopes: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

export interface AuditLogTable {
  number: number;
  at: number;
  actor: string | null;
  client_ip: string | null;
  act: AuditAct;
  subject: string | null;
  /** Canonical JSON. */
  details: string;
  previous_hash: string;
  hash: string;
}

/** One row: where the chain ends. */
interface AuditHeadTable {
  id: number;
  number: number;
  hash: string;
}

/** One row per deleted account of which something may be left. */
interface AccountRemovalsTable {
  user_id: string;
  deleted_at: number;
  /** Until then somebody removes it. */
  taken_until: number;
}

export interface AccountTables {
  users: UsersTable;
  sessions: SessionsTable;
  api_keys: ApiKeysTable;
  audit_log: AuditLogTable;
  audit_head: AuditHeadTable;
  account_removals: AccountRemovalsTable;
}
