// Row-level security as a second protection below the repositories: on Postgres, an owner's repositories run
// their statements as that owner.
import { sql } from 'kysely';
import type { Log } from '../../../log.ts';
import { PERSONAL_TABLES } from './account-tables.ts';
import type { Connection, Database } from './database.ts';

/** Has no login. The service's own role switches to it on the connections of owners. */
export const OWNER_ROLE = 'agent_service_owner';

/** The setting that the policies of the tables compare with. */
export const OWNER_SETTING = 'agent_service.owner';

/**
 * `off`: the service's own role may not use the role of the owners, and cannot grant it to itself.
 * `bypassed`: it may, but that role can see all rows.
 */
type RowSecurity = 'on' | 'off' | 'bypassed' | 'not_needed';

/** What a database administrator runs when the service's role may not. */
export const ROW_SECURITY_FIX = `create role ${OWNER_ROLE} nologin; grant ${OWNER_ROLE} to <user of the service>;`;

/** The same for a role that may bypass the policies, or for disabled policies. */
export const BYPASS_FIX = `alter role ${OWNER_ROLE} nosuperuser nobypassrls; alter table <table> enable row level security;`;

/** Tables with rows of owners, which `bypassed` concerns. */
const GUARDED = [
  'users',
  ...PERSONAL_TABLES,
  'webhook_deliveries',
  'threads',
  'runs',
  'run_events',
  'trace_contents',
  'run_frames',
  'checkpoints',
  'audit_log',
];

/** An arbitrary number, the same in all releases. */
const ADVISORY_LOCK = 726_354_002;

/**
 * Creates the role of the owners, if allowed, and uses it from now on. Then checks on a connection of an
 * owner whether the policies apply there, and logs the result.
 */
export async function enforceOwners(database: Database, log: Log): Promise<void> {
  if (database.name !== 'postgres') return;
  if ((await rowSecurityOf(database)) === 'off') await prepareRole(database);
  if ((await rowSecurityOf(database)) === 'off') {
    log.warn({ fix: ROW_SECURITY_FIX }, 'Row-level security is off: the role of the owners cannot be used');
    return;
  }
  database.enforceOwners();
  const tables = await database.ownedBy(NOBODY).read(openTables);
  if (tables.length === 0) log.info({}, 'Row-level security is on: the database keeps owners apart');
  else log.warn({ fix: BYPASS_FIX, tables }, 'Row-level security is bypassed: an owner could see all rows');
}

/** An owner without rows. */
const NOBODY = 'nobody';

/** Returns the tables of which the connection sees all rows. */
async function openTables(db: Connection): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relname in (${sql.join(GUARDED)})
      and not row_security_active(oid) order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns whether the database currently isolates owners as well. Changes nothing. */
export async function rowSecurityOf(database: Database): Promise<RowSecurity> {
  if (database.name !== 'postgres') return 'not_needed';
  try {
    return await database.write(async (trx) => {
      const unreachable = sql<{ n: number }>`select count(*)::int as n from pg_tables
        where schemaname = current_schema() and not (
          has_table_privilege(${sql.lit(OWNER_ROLE)}, format('%I.%I', schemaname, tablename), 'select')
          and has_table_privilege(${sql.lit(OWNER_ROLE)}, format('%I.%I', schemaname, tablename), 'delete'))`;
      if (((await unreachable.execute(trx)).rows[0]?.n ?? 1) > 0) return 'off';
      await sql`set local role ${sql.raw(OWNER_ROLE)}`.execute(trx);
      return (await openTables(trx)).length === 0 ? 'on' : 'bypassed';
    });
  } catch {
    return 'off';
  }
}

/**
 * Creates the role and its grants. Each step may be refused, or already done by another process. The caller
 * checks the result.
 */
async function prepareRole(database: Database): Promise<void> {
  const attempt = (statement: string) => `begin ${statement}; exception when others then null; end;`;
  const steps = [
    `create role ${OWNER_ROLE} nologin`,
    `execute format('grant ${OWNER_ROLE} to %I', current_user)`,
    `execute format('grant usage on schema %I to ${OWNER_ROLE}', current_schema())`,
    `execute format('grant select, insert, update, delete on all tables in schema %I to ${OWNER_ROLE}', current_schema())`,
    `execute format('grant usage on all sequences in schema %I to ${OWNER_ROLE}', current_schema())`,
  ];
  await database
    .write(async (trx) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(trx);
      await sql.raw(`do $$ begin ${steps.map(attempt).join(' ')} end $$`).execute(trx);
    })
    .catch(() => undefined);
}
