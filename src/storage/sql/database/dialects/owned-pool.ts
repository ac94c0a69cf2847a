// Connections on which every statement runs as one owner, without an extra round trip.
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { OWNER_ROLE, OWNER_SETTING } from '../row-security.ts';

/** Returns connections that send statements without waiting for the results of earlier ones. */
type Connect = () => Promise<PostgresPoolClient>;

/** The last argument makes the setting outlast the transaction, which may be rolled back. */
const CHANGE_OWNER = `select set_config('${OWNER_SETTING}', $1, false)`;
/** Used on a new connection. */
const BECOME_OWNER = `${CHANGE_OWNER}, set_config('role', '${OWNER_ROLE}', false)`;

/**
 * Creates pools whose connections only owners use. A connection keeps the role until it closes, and its owner
 * until another owner uses it. The new owner is set in the message before the first statement.
 */
export function createOwnedPools(connect: Connect): (owner: string) => PostgresPool {
  const ownerOf = new WeakMap<PostgresPoolClient, string>();
  return (owner) => ({
    options: {},
    connect: async () => new OwnedClient(await connect(), owner, ownerOf),
    // The pool that opened the connections closes them.
    end: async () => {},
  });
}

class OwnedClient implements PostgresPoolClient {
  readonly #client: PostgresPoolClient;
  readonly #owner: string;
  readonly #ownerOf: WeakMap<PostgresPoolClient, string>;

  constructor(client: PostgresPoolClient, owner: string, ownerOf: WeakMap<PostgresPoolClient, string>) {
    this.#client = client;
    this.#owner = owner;
    this.#ownerOf = ownerOf;
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    text: string | PostgresCursor<R>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') throw new TypeError('rows of an owner are not read with a cursor');
    if (this.#isOwners()) return this.#client.query<R>(text, values);
    return this.#takeOver<R>(text, values);
  }

  /** Releases the connection, and closes it if its owner is unknown. */
  release(destroy?: boolean): void {
    this.#client.release(destroy === true || !this.#isOwners());
  }

  #isOwners(): boolean {
    return this.#ownerOf.get(this.#client) === this.#owner;
  }

  async #takeOver<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const statement = this.#ownerOf.delete(this.#client) ? CHANGE_OWNER : BECOME_OWNER;
    const taken = this.#client.query<unknown>(statement, [this.#owner]);
    const result = this.#client.query<R>(text, values);
    const [became, answered] = await Promise.allSettled([taken, result]);
    // The statement ran as another owner.
    if (became.status === 'rejected') throw became.reason;
    this.#ownerOf.set(this.#client, this.#owner);
    if (answered.status === 'rejected') throw answered.reason;
    return answered.value;
  }
}
