// What one step of the schema is.
import type { WriteTransaction } from '../database.ts';

/** Forward only. Numbers are 1, 2, 3 ...; a migration that was released never changes. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** The same statements on SQLite and Postgres. */
  apply(trx: WriteTransaction): Promise<void>;
}
