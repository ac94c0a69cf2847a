// Statements that recur are prepared: named once, planned once for each connection, which keeps their plans.

import { createHash } from 'node:crypto';
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { isOutdatedStatement } from './postgres-failure.ts';

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

/** In a statement whose best way depends on its values, such as how many texts have a word: it is planned each time. */
export const PLANNED_EACH_TIME = '/* planned for its values */';

/** Whoever recurs so often is worth a name. */
const SIGHTS = 3;
/** Each connection keeps a plan for each name. */
const MOST_NAMES = 200;
/** So many texts without a name are counted. */
const MOST_COUNTED = 1_000;

/**
 * Names for statements that recur: Postgres parses and plans a named one once for each connection, not each time.
 */
interface StatementNames {
  /** `undefined`: it stays without a name, for now at least. */
  nameOf(text: string): string | undefined;
  /** Names used so far are not reused: what they meant on some connection is no longer valid. */
  renew(): void;
}

/**
 * Names are the same on all connections, and those of two statements never are, of whichever process: where a pooler hands
 * a connection from one to another, a name that meant something else there would run the wrong statement.
 */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const sights = new Map<string, number>();
  let generation = 0;
  return {
    nameOf(text) {
      const known = names.get(text);
      if (known !== undefined) return `${generation}_${known}`;
      if (names.size >= MOST_NAMES || text.includes(PLANNED_EACH_TIME)) return undefined;
      const seen = (sights.get(text) ?? 0) + 1;
      sights.delete(text);
      if (seen < SIGHTS) {
        if (sights.size >= MOST_COUNTED) sights.clear();
        sights.set(text, seen);
        return undefined;
      }
      const name = createHash('sha256').update(text).digest('base64url');
      names.set(text, name);
      return `${generation}_${name}`;
    },
    renew() {
      generation += 1;
    },
  };
}
