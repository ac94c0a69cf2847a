// The audit log: security-relevant acts, only ever appended, each row chained to the previous one by its
// hash.
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

/**
 * Who did what to whom, from where. Never a password, a token, a key, or anything that was typed to sign in.
 */
export interface NewAuditEntry {
  readonly act: AuditAct;
  /** The id of the account that acted. `null` when nobody was signed in, or for the operator. */
  readonly actor: string | null;
  readonly clientIp: string | null;
  /** The id of the object of the act: an account, a thread, a key. */
  readonly subject: string | null;
  readonly details?: JsonObject;
}

export interface AuditRecord extends Required<NewAuditEntry> {
  /** 1, 2, 3 ... without gaps. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The hash of the previous row; empty for the first one. */
  readonly previousHash: string;
  readonly hash: string;
}

/** The end of the chain. Every later state of the log must still contain it. */
export interface AuditAnchor {
  /** 0 while the log is empty. */
  readonly number: number;
  readonly hash: string;
}

export interface AuditQuery {
  readonly act?: AuditAct | undefined;
  readonly actor?: string | undefined;
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined;
  /** Only rows with a lower number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export type AuditVerdict =
  | { readonly kind: 'whole'; readonly head: AuditAnchor }
  /** `number`: the first row that differs from what was appended. All rows before it are intact. */
  | { readonly kind: 'broken'; readonly number: number; readonly why: string };

export interface AuditLog {
  /** Appends an entry, which is durable when the promise resolves. All processes append to the same chain. */
  append(entry: NewAuditEntry): Promise<AuditRecord>;
  /** Returns the matching entries, newest first. */
  list(query: AuditQuery): Promise<{ readonly entries: readonly AuditRecord[]; readonly hasMore: boolean }>;
  head(): Promise<AuditAnchor>;
  /** Reads and checks the whole log, which must still contain the known anchor. */
  verify(known?: AuditAnchor): Promise<AuditVerdict>;
}
