// The audit log: only ever appended to, whoever writes.
import type { Migration } from './migration.ts';

const TABLES = [
  `create table audit_log (
    number bigint primary key,
    at bigint not null,
    actor text,
    client_ip text,
    act text not null,
    subject text,
    details text not null,
    previous_hash text not null,
    hash text not null
  )`,
  'create unique index audit_log_previous on audit_log (previous_hash)',
  'create index audit_log_actor on audit_log (actor, number)',
  'create index audit_log_at on audit_log (at)',
  'create table audit_head (id integer primary key, number bigint not null, hash text not null)',
  `insert into audit_head (id, number, hash) values (1, 0, '')`,
];

const REFUSAL = 'the audit log is append-only';

/** A row goes to the end of the chain, and the end moves to the row that was appended; nothing else is possible. */
const FOLLOWS = 'select 1 from audit_head where number = new.number - 1 and hash = new.previous_hash';
const IS_NEXT = `select 1 from audit_log where audit_log.number = new.number and audit_log.hash = new.hash
  and audit_log.previous_hash = old.hash and new.number = old.number + 1 and new.id = old.id`;

function refuse(trigger: string, when: string, condition = ''): string {
  return `create trigger ${trigger} before ${when} begin select raise(abort, '${REFUSAL}')${condition}; end`;
}

const SQLITE = [
  refuse('audit_log_insert', 'insert on audit_log', ` where not exists (${FOLLOWS})`),
  refuse('audit_log_update', 'update on audit_log'),
  refuse('audit_log_delete', 'delete on audit_log'),
  refuse('audit_head_insert', 'insert on audit_head'),
  refuse('audit_head_update', 'update on audit_head', ` where not exists (${IS_NEXT})`),
  refuse('audit_head_delete', 'delete on audit_head'),
];

const POSTGRES = [
  `create function refuse_audit_change() returns trigger language plpgsql as
    $$ begin raise exception '${REFUSAL}'; end $$`,
  `create function check_audit_row() returns trigger language plpgsql as
    $$ begin if not exists (${FOLLOWS}) then raise exception '${REFUSAL}'; end if; return new; end $$`,
  `create function check_audit_head() returns trigger language plpgsql as
    $$ begin if not exists (${IS_NEXT}) then raise exception '${REFUSAL}'; end if; return new; end $$`,
  'create trigger audit_log_insert before insert on audit_log for each row execute function check_audit_row()',
  `create trigger audit_log_change before update or delete on audit_log
    for each row execute function refuse_audit_change()`,
  `create trigger audit_log_truncate before truncate on audit_log
    for each statement execute function refuse_audit_change()`,
  `create trigger audit_head_update before update on audit_head
    for each row execute function check_audit_head()`,
  `create trigger audit_head_change before insert or delete on audit_head
    for each row execute function refuse_audit_change()`,
  `create trigger audit_head_truncate before truncate on audit_head
    for each statement execute function refuse_audit_change()`,
];

export const auditLog: Migration = {
  number: 8,
  name: 'audit log',
  statements: TABLES,
  sqlite: SQLITE,
  postgres: POSTGRES,
};
