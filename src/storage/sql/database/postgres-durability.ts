// Settings of a Postgres server that weaken its durability in a power cut.
import { sql } from 'kysely';
import type { Log } from '../../../log.ts';
import type { Database } from './database.ts';

export interface DurabilityGap {
  readonly setting: string;
  /** What may happen, for the operator. */
  readonly message: string;
  readonly fix: string;
}

const GAPS: readonly DurabilityGap[] = [
  {
    setting: 'fsync',
    message: 'PostgreSQL runs with fsync = off: a power failure can lose or damage the whole database',
    fix: 'Set fsync = on in the configuration of the server.',
  },
  {
    setting: 'full_page_writes',
    message: 'PostgreSQL runs with full_page_writes = off: a power failure can damage pages of the database',
    fix: 'Set full_page_writes = on in the configuration of the server.',
  },
  {
    setting: 'synchronous_commit',
    message:
      'PostgreSQL runs with synchronous_commit = off: a power cut or a crash of the server may lose what was just shown',
    fix: 'Set synchronous_commit = on for the role and the database of the service.',
  },
];

/** Returns the gaps in the settings of a session, given by name. */
export function gapsIn(settings: ReadonlyMap<string, string>): readonly DurabilityGap[] {
  return GAPS.filter(({ setting }) => settings.get(setting) === 'off');
}

/** Returns the gaps in a session of the service, because roles and databases may have their own settings. */
export async function durabilityGaps(database: Database): Promise<readonly DurabilityGap[]> {
  if (database.name !== 'postgres') return [];
  const names = sql.join(GAPS.map(({ setting }) => setting));
  const { rows } = await database.read((db) =>
    sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name in (${names})`.execute(db),
  );
  return gapsIn(new Map(rows.map(({ name, setting }) => [name, setting])));
}

/** Logs the gaps. The service still works, because the operator may want this, for example in tests. */
export async function warnOfDurabilityGaps(database: Database, log: Log): Promise<void> {
  for (const { message, fix } of await durabilityGaps(database)) log.warn({ fix }, message);
}
