// On Postgres the tables themselves keep owners apart; whoever owns the tables, as the service does, sees all rows.
import { OWNER_SETTING } from '../database/row-security.ts';
import { guarded, type Migration, OWN, OWN_OR_SHARED } from './migration.ts';

const OWNER = `(select current_setting('${OWNER_SETTING}', true))`;

/** Rows that are seen with the row that they belong to. */
function seenWith(table: string, column: string, of: string): string {
  return `exists (select 1 from ${table} where ${table}.${column} = ${of}.${column})`;
}

/** What an owner sees and writes; that ownerless rows are not written is the repositories' part. */
const CONDITIONS: readonly (readonly [table: string, condition: string])[] = [
  ['users', `id = ${OWNER}`],
  ['api_keys', OWN],
  ['usage_days', OWN],
  ['idempotency_keys', OWN],
  ['feedback', OWN],
  ['threads', OWN_OR_SHARED],
  ['runs', OWN_OR_SHARED],
  ['run_events', OWN_OR_SHARED],
  // An act is written as its actor's, and nobody reads the acts of others.
  ['audit_log', `actor = ${OWNER}`],
  ['trace_contents', seenWith('threads', 'thread_id', 'trace_contents')],
  ['run_frames', seenWith('runs', 'run_id', 'run_frames')],
  // A copy of a thread that was shared once sees the checkpoints of its family.
  [
    'checkpoints',
    `(${seenWith('threads', 'thread_id', 'checkpoints')} or exists (select 1 from threads
      where copy_family is not null and copy_family = family_of_thread(checkpoints.thread_id)))`,
  ],
];

/**
 * Hashes and words, of which searches walk through thousands: what they lead to is shown from the tables above, so that
 * a condition on each of them would be looked at twice. They are written only with their thread.
 */
const INDEXES = ['thread_metadata', 'search_docs'];

/** Only the service itself uses these: without a policy, owners cannot reach them. */
const OF_THE_SERVICE = [
  'schema_migrations',
  'write_probes',
  'search_backlog',
  'thread_imports',
  'account_removals',
  'event_retention',
  'budget_reservations',
];

function guard(table: string, ...policies: readonly string[]): readonly string[] {
  return [...policies, `alter table ${table} enable row level security`];
}

function guardIndex(table: string): readonly string[] {
  const condition = seenWith('threads', 'thread_id', table);
  return guard(
    table,
    `create policy readers on ${table} for select using (true)`,
    `create policy inserts on ${table} for insert with check (${condition})`,
    `create policy updates on ${table} for update using (${condition}) with check (${condition})`,
    `create policy deletions on ${table} for delete using (${condition})`,
  );
}

export const rowSecurity: Migration = {
  number: 18,
  name: 'row security',
  statements: [],
  postgres: [
    `create function family_of_thread(id text) returns text language sql stable security definer
      set search_path from current as
      $$ select coalesce(copy_family, thread_id) from threads where thread_id = id $$`,
    ...CONDITIONS.flatMap(([table, condition]) => guarded(table, condition)),
    ...INDEXES.flatMap(guardIndex),
    // The id of a deleted thread stays taken for everybody until its files are gone.
    ...guard('thread_removals', 'create policy readers on thread_removals for select using (true)'),
    ...OF_THE_SERVICE.flatMap((table) => guard(table)),
  ],
};
