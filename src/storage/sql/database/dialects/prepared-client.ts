// A connection that keeps the plans of the statements that recur.
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { isOutdatedStatement } from './postgres-failure.ts';
import type { StatementNames } from './statement-names.ts';

/** What the driver's connections can besides. */
interface NamingClient extends PostgresPoolClient {
  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }): Promise<PostgresQueryResult<R>>;
}

/** Gives the connections of one pool, each of them the same object whenever it is given. */
export function createPreparedClients(
  connect: () => Promise<NamingClient>,
  names: StatementNames,
): () => Promise<PostgresPoolClient> {
  const prepared = new WeakMap<NamingClient, PostgresPoolClient>();
  return async () => {
    const client = await connect();
    const known = prepared.get(client) ?? new PreparedClient(client, names);
    prepared.set(client, known);
    return known;
  };
}

class PreparedClient implements PostgresPoolClient {
  readonly #client: NamingClient;
  readonly #names: StatementNames;

  constructor(client: NamingClient, names: StatementNames) {
    this.#client = client;
    this.#names = names;
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    text: string | PostgresCursor<R>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') return this.#client.query(text);
    // Without values it may be several statements, which have no plan.
    const name = values.length === 0 ? undefined : this.#names.nameOf(text);
    if (name === undefined) return this.#client.query<R>(text, values);
    return this.#named<R>({ name, text, values: [...values] });
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy);
  }

  async #named<R>(statement: { readonly name: string; readonly text: string; readonly values: unknown[] }) {
    try {
      return await this.#client.query<R>(statement);
    } catch (error) {
      // Another process has changed the tables. Whoever asks again asks under another name.
      if (isOutdatedStatement(error)) this.#names.renew();
      throw error;
    }
  }
}
