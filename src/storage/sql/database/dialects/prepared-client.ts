// Prepares recurring statements: each is named once and planned once per connection, which keeps the plan.

import { createHash } from 'node:crypto';
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { bindable } from '../packed-text.ts';
import { isOutdatedStatement } from './postgres-failure.ts';

/** Connections of the driver that also accept named statements. */
interface NamingClient extends PostgresPoolClient {
  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }): Promise<PostgresQueryResult<R>>;
}

/** Wraps the connections of one pool, each always in the same object. */
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
    // Without values the text may hold several statements, which have no plan.
    const name = values.length === 0 ? undefined : this.#names.nameOf(text);
    const bound = values.map(bindable);
    if (name === undefined) return this.#client.query<R>(text, bound);
    return this.#named<R>({ name, text, values: bound });
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy);
  }

  async #named<R>(statement: { readonly name: string; readonly text: string; readonly values: unknown[] }) {
    try {
      return await this.#client.query<R>(statement);
    } catch (error) {
      // Another process has changed the tables. A retry uses another name.
      if (isOutdatedStatement(error)) this.#names.renew();
      throw error;
    }
  }
}

/**
 * Marks a statement whose best plan depends on its values, such as how many texts have a word. It is planned
 * each time.
 */
export const PLANNED_EACH_TIME = '/* planned for its values */';

/** Executions after which a statement gets a name. */
const SIGHTS = 3;
/** Each connection keeps a plan for each name. */
const MOST_NAMES = 200;
/** Most unnamed texts that are counted. */
const MOST_COUNTED = 1_000;

/**
 * Creates names for recurring statements. Postgres parses and plans a named statement once per connection, not
 * each time. A statement has the same name on all connections and in all processes, and no two statements share
 * one. When a pooler passes a connection from one process to another, a name with another meaning would run the
 * wrong statement.
 */
export function createStatementNames() {
  const names = new Map<string, string>();
  const sights = new Map<string, number>();
  let generation = 0;
  return {
    /** Returns the statement's name; `undefined` while it has none. */
    nameOf(text: string): string | undefined {
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
    /** Stops using all names so far, because connections may hold outdated statements under them. */
    renew(): void {
      generation += 1;
    },
  };
}

type StatementNames = ReturnType<typeof createStatementNames>;
