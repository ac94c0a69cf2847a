// The second wall under the repositories: on Postgres, what an owner's repositories ask is asked as that owner.
import { sql } from 'kysely';
import type { Log } from '../../../log.ts';
import type { Connection, Database } from './database.ts';

/** Has no login: the service's own role becomes it for one transaction. */
export const OWNER_ROLE = 'agent_service_owner';

/** The setting that the policies of the tables compare with. */
export const OWNER_SETTING = 'agent_service.owner';

/**
 * `off`: the service's own role may not use the role of the owners, and cannot give it to itself. `bypassed`: it may,
 * but the database lets that role see everything.
 */
type RowSecurity = 'on' | 'off' | 'bypassed' | 'not_needed';

/** What an administrator of the database runs when the service may not. */
export const ROW_SECURITY_FIX = `create role ${OWNER_ROLE} nologin; grant ${OWNER_ROLE} to <user of the service>;`;

/** Also when the role exists but may bypass the policies, or the policies are disabled. */
export const BYPASS_FIX = `alter role ${OWNER_ROLE} nosuperuser nobypassrls; alter table <table> enable row level security;`;

/** With rows of owners: what `bypassed` is about. */
const GUARDED = [
  'users',
  'api_keys',
  'sessions',
  'usage_days',
  'idempotency_keys',
  'feedback',
  'store_items',
  'skill_switches',
  'skill_claims',
  'agents',
  'agent_versions',
  'memories',
  'memory_switches',
  'memory_jobs',
  'schedules',
  'schedule_fires',
  'background_tasks',
  'webhook_deliveries',
  'threads',
  'runs',
  'run_events',
  'trace_contents',
  'run_frames',
  'checkpoints',
  'audit_log',
];

/** Any number will do, as long as all releases agree on it. */
const ADVISORY_LOCK = 726_354_002;

/**
 * Makes the role of the owners, if that is allowed, and uses it from now on. Then asks on a connection of an owner
 * whether the policies hold there. The log says what came of it.
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

/** An owner who has nothing. */
const NOBODY = 'nobody';

/** Those of which the connection would see all rows. */
async function openTables(db: Connection): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relname in (${sql.join(GUARDED)})
      and not row_security_active(oid) order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether the database currently isolates owners as well. Changes nothing. */
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

/** Each step may be refused, or already done by another process; the result is checked afterwards. */
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
