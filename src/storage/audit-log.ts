// The audit log: security-relevant acts, appended for ever, each row chained to the one before by its hash.
import type { JsonObject } from '../messages/message.ts';

export const AUDIT_ACTS = [
  'sign_in',
  'sign_in_failed',
  'lockout',
  'sign_out',
  'session_end',
  'sessions_end',
  'register',
  'initialize',
  'admin_create',
  'admin_reset',
  'password_change',
  'email_change',
  'role_change',
  'api_key_create',
  'api_key_use',
  'api_key_revoke',
  'configuration_change',
  'mcp_change',
  'skills_change',
  'agents_change',
  'thread_delete',
  'account_delete',
  'threads_adopt',
  'export',
  'import',
] as const;

export type AuditAct = (typeof AUDIT_ACTS)[number];

/** Who did what to whom, from where. Never a password, a token, a key, nor what somebody typed to sign in. */
export interface NewAuditEntry {
  readonly act: AuditAct;
  /** The id of the account that acted; `null` when nobody was signed in, or it was the operator. */
  readonly actor: string | null;
  readonly clientIp: string | null;
  /** The id of what was acted upon: an account, a thread, a key. */
  readonly subject: string | null;
  readonly details?: JsonObject;
}

export interface AuditRecord extends Required<NewAuditEntry> {
  /** 1, 2, 3 ... without holes. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The hash of the row before; empty for the first one. */
  readonly previousHash: string;
  readonly hash: string;
}

/** Where the chain ends: what the log must still contain whenever it is looked at later. */
export interface AuditAnchor {
  /** 0 while the log is empty. */
  readonly number: number;
  readonly hash: string;
}

export interface AuditQuery {
  readonly act?: AuditAct;
  readonly actor?: string;
  /** Epoch milliseconds, inclusive. */
  readonly since?: number;
  /** Only rows with a lower number. */
  readonly before?: number;
  readonly limit: number;
}

export type AuditVerdict =
  | { readonly kind: 'whole'; readonly head: AuditAnchor }
  /** `number`: the first row that is not what was appended; all rows before it are. */
  | { readonly kind: 'broken'; readonly number: number; readonly why: string };

export interface AuditLog {
  /** Durable when it resolves. Entries stand one after the other, whichever process appends them. */
  append(entry: NewAuditEntry): Promise<AuditRecord>;
  /** Newest first. */
  list(query: AuditQuery): Promise<{ readonly entries: readonly AuditRecord[]; readonly hasMore: boolean }>;
  head(): Promise<AuditAnchor>;
  /** Reads the whole log; a known anchor must still be in it. */
  verify(known?: AuditAnchor): Promise<AuditVerdict>;
}
