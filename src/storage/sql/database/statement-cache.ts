// A cache of built statements: Kysely takes several times as long to build one as SQLite takes to run it.
import type { Compilable, CompiledQuery, Kysely, RawBuilder } from 'kysely';
import type { Tables } from './tables.ts';

type Connection = Kysely<Tables>;

type StatementValues = Readonly<Record<string, string | number | Uint8Array | null | symbol>>;

/**
 * Builds a statement. It may only place its values, and branch on nothing but symbols, because it is called
 * once, with marks as values.
 */
type Statement<Values extends StatementValues, Row> = (
  queries: Connection,
  values: Values,
) => Compilable<Row> | RawBuilder<Row>;

/** Runs a statement with these values on a connection or in a transaction. Returns its rows, if any. */
export type RunStatement = <Values extends StatementValues, Row>(
  db: Connection,
  statement: Statement<Values, Row>,
  values: Values,
) => Promise<readonly Row[]>;

/**
 * Creates the cache. `queries` compiles the statements. Symbols, such as `UNSCOPED`, are part of a
 * statement's text: it is built for each.
 */
export function createStatementCache(queries: Connection): RunStatement {
  /** A mark among the parameters represents a given value. */
  const kept = new Map<unknown, Map<string, CompiledQuery>>();
  return async (db, statement, values) => {
    const known = kept.get(statement) ?? new Map<string, CompiledQuery>();
    kept.set(statement, known);
    const symbols = symbolsOf(values);
    const query = known.get(symbols) ?? build(queries, statement, values);
    known.set(symbols, query);
    const parameters = query.parameters.map((it) => (it instanceof Mark ? values[it.name] : it));
    const { rows } = await db.executeQuery({ ...query, parameters });
    // The type of the statement determines the type of its rows, as with every query of Kysely.
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
): CompiledQuery {
  const marks = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'symbol' ? value : new Mark(name),
  ]);
  // Whatever the types of the values, a statement only places them.
  return statement(queries, Object.fromEntries(marks)).compile(queries);
}

function symbolsOf(values: StatementValues): string {
  let names = '';
  for (const name in values) if (typeof values[name] === 'symbol') names += `${name} `;
  return names;
}
