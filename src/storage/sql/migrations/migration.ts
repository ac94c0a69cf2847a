// What one step of the schema is.

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
