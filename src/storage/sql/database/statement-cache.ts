// Statements that are built once: building one takes Kysely several times as long as SQLite takes to run it.
import type { Compilable, CompiledQuery, Kysely, RawBuilder } from 'kysely';
import type { Tables } from './tables.ts';

type Connection = Kysely<Tables>;

type StatementValues = Readonly<Record<string, string | number | Uint8Array | null | symbol>>;

/** Only places its values, and decides nothing by them but by symbols: it is called once, with marks in their place. */
type Statement<Values extends StatementValues, Row> = (
  queries: Connection,
  values: Values,
) => Compilable<Row> | RawBuilder<Row>;

/** Runs a statement with these values on a connection or in a transaction; the rows it returned, if any. */
export type RunStatement = <Values extends StatementValues, Row>(
  db: Connection,
  statement: Statement<Values, Row>,
  values: Values,
) => Promise<readonly Row[]>;

interface CachedStatement {
  readonly query: CompiledQuery;
  /** The values of its parameters, in their order; a mark stands for what is given. */
  readonly parameters: readonly unknown[];
}

/** `queries` compiles them. Symbols, as of an owner that is none, are part of what a statement says: it is built for each. */
export function createStatementCache(queries: Connection): RunStatement {
  const kept = new Map<unknown, Map<string, CachedStatement>>();
  return async (db, statement, values) => {
    const known = kept.get(statement) ?? new Map<string, CachedStatement>();
    kept.set(statement, known);
    const symbols = symbolsOf(values);
    const { query, parameters } = known.get(symbols) ?? build(queries, statement, values);
    known.set(symbols, { query, parameters });
    const given = parameters.map((it) => (it instanceof Mark ? values[it.name] : it));
    const { rows } = await db.executeQuery({ ...query, parameters: given });
    // The type of the statement says what its rows are, as with every query of Kysely.
    return rows as never;
  };
}

class Mark {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function build<Values extends StatementValues, Row>(
  queries: Connection,
  statement: Statement<Values, Row>,
  values: Values,
): CachedStatement {
  const marks = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'symbol' ? value : new Mark(name),
  ]);
  // Whatever the types of the values are, a statement does nothing with them but place them.
  const query = statement(queries, Object.fromEntries(marks)).compile(queries);
  return { query, parameters: query.parameters };
}

function symbolsOf(values: StatementValues): string {
  let names = '';
  for (const name in values) if (typeof values[name] === 'symbol') names += `${name} `;
  return names;
}
