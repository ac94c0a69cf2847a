// What one step of the schema is.
import { OWNER_SETTING } from '../database/row-security.ts';

/** Forward only. Numbers are 1, 2, 3 ...; a migration that was released never changes. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** The same SQL for SQLite and Postgres; `text` columns compare by their bytes on both. */
  readonly statements: readonly string[];
  /** What only one of the databases understands, after that and as it is written. */
  readonly sqlite?: readonly string[];
  readonly postgres?: readonly string[];
}

/** In a policy: the row belongs to the owner who asks. */
export const OWN = `user_id = (select current_setting('${OWNER_SETTING}', true))`;

/** The same, or the row has no owner: it is shared. */
export const OWN_OR_SHARED = `(${OWN} or user_id is null)`;

/**
 * On Postgres: an owner sees the rows of the table that meet the condition, and writes those that meet the check.
 * Released migrations call it: it never changes.
 */
export function guarded(table: string, condition = OWN, check = condition): readonly string[] {
  return [
    `create policy owners on ${table} using (${condition}) with check (${check})`,
    `alter table ${table} enable row level security`,
  ];
}
