// Kysely on a driver with one synchronous connection: statements go to it directly. Kysely's own path takes a
// dozen promises per statement, which costs more than most statements.
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely';

/** Runs one transaction: committed when the work resolves, rolled back when it throws. */
type InTransaction<Schema> = <T>(work: (trx: Transaction<Schema>) => Promise<T>) => Promise<T>;

interface DirectConnection<Schema> {
  readonly db: Kysely<Schema>;
  readonly inTransaction: InTransaction<Schema>;
}

/** Connects Kysely to the driver. The connection must run statements in the order of the calls. */
export function connectDirectly<Schema>(dialect: Dialect): DirectConnection<Schema> {
  const driver = dialect.createDriver();
  const parts = { config: { dialect }, dialect, driver };
  const onConnection = async <T>(use: (connection: DatabaseConnection) => Promise<T>): Promise<T> => {
    const connection = await driver.acquireConnection();
    try {
      return await use(connection);
    } finally {
      await driver.releaseConnection(connection);
    }
  };
  const kysely = { compiler: dialect.createQueryCompiler(), adapter: dialect.createAdapter() };
  const executorFor = (provideConnection: ConnectionProvider['provideConnection'], runs: Runs) =>
    new DirectExecutor({ ...kysely, provideConnection, runs });
  return {
    db: new Kysely({
      ...parts,
      executor: executorFor(onConnection, (query) =>
        onConnection((connection) => connection.executeQuery(query)),
      ),
    }),
    inTransaction: (work) =>
      onConnection((connection) =>
        transacted(driver, connection, async (runs) =>
          work(new Transaction({ ...parts, executor: executorFor((use) => use(connection), runs) })),
        ),
      ),
  };
}

type Runs = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

interface ExecutorParts {
  readonly compiler: QueryCompiler;
  readonly adapter: DialectAdapter;
  readonly provideConnection: ConnectionProvider['provideConnection'];
  readonly runs: Runs;
}

class DirectExecutor extends DefaultQueryExecutor {
  readonly #runs: Runs;

  constructor({ compiler, adapter, provideConnection, runs }: ExecutorParts) {
    super(compiler, adapter, { provideConnection });
    this.#runs = runs;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // As in Kysely, the type of the query determines the type of its rows.
    return this.#runs(query) as Promise<QueryResult<R>>;
  }
}

async function transacted<T>(
  driver: Driver,
  connection: DatabaseConnection,
  work: (runs: Runs) => Promise<T>,
): Promise<T> {
  let isOver = false;
  await driver.beginTransaction(connection, {});
  try {
    const result = await work((query) =>
      isOver ? Promise.reject(new Error('The transaction is over.')) : connection.executeQuery(query),
    );
    await driver.commitTransaction(connection);
    return result;
  } catch (error) {
    await driver.rollbackTransaction(connection);
    throw error;
  } finally {
    isOver = true;
  }
}
