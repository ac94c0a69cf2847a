// Connections per user and server: made when first needed, shared by the calls of the user, ended when nobody uses them.
import { type Breaker, createBreaker } from '../breaker.ts';
import { ServerFailure } from '../server-failure.ts';
import type { ToolServer } from '../tool-server.ts';
import type { Connection } from './connection.ts';

export interface ConnectionPool {
  /**
   * Uses the connection of the user to the server. Rejects with what `use` rejects with, and with `ServerFailure` when there
   * is no connection. What failed three times in a row is not tried for a while.
   */
  use<Result>(
    server: ToolServer,
    userId: string,
    use: (connection: Connection) => Promise<Result>,
  ): Promise<Result>;
  /** Why the user cannot use the server for now. */
  brokenBecause(server: ToolServer, userId: string): string | undefined;
  /** It may be tried again at once, as after a change of its configuration. */
  forgive(server: string): void;
  /** Ends connections that are idle, and those of servers that are no more or are configured otherwise. */
  sweep(servers: ReadonlyMap<string, ToolServer>): Promise<void>;
  /** Ends all connections of the user to the server, also those that are being made; or everybody's to all, for good. */
  close(of?: { readonly userId: string; readonly server: string }): Promise<void>;
}

interface PoolParts {
  readonly open: (server: ToolServer, userId: string, signal: AbortSignal) => Promise<Connection>;
  /** A connection was made. */
  readonly onOpen: (connection: Connection, userId: string) => void;
  readonly now: () => number;
  readonly idleMs?: number;
  readonly most?: number;
  readonly mostPerUser?: number;
}

interface Entry {
  readonly userId: string;
  readonly server: ToolServer;
  readonly connection: Promise<Connection>;
  /** Ends the attempt to connect. */
  readonly stop: AbortController;
  opened: Connection | undefined;
}

const IDLE_MS = 300_000;
const MOST = 400;
const MOST_PER_USER = 40;
const PATIENCE = 3;

export function createConnectionPool(parts: PoolParts): ConnectionPool {
  return new Pool(parts);
}

class Pool implements ConnectionPool {
  readonly #parts: PoolParts;
  readonly #entries = new Map<string, Entry>();
  readonly #breakers = new Map<string, Breaker>();
  #isClosed = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  async use<Result>(
    server: ToolServer,
    userId: string,
    use: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new ServerFailure('cancelled', 'The service is about to end.');
    const breaker = this.#breakerOf(server, userId);
    const reason = breaker.open();
    if (reason !== undefined) throw new ServerFailure('unreachable', `${reason} It is tried again later.`);
    try {
      const result = await use(await this.#entryOf(server, userId).connection);
      breaker.worked();
      return result;
    } catch (error) {
      if (error instanceof ServerFailure && COUNTED.has(error.kind)) breaker.failed(error.message);
      throw error;
    }
  }

  brokenBecause(server: ToolServer, userId: string): string | undefined {
    return this.#breakers.get(breakerKeyOf(server, userId))?.open();
  }

  forgive(server: string): void {
    for (const key of this.#breakers.keys()) if (key.split(' ')[1] === server) this.#breakers.delete(key);
  }

  async sweep(servers: ReadonlyMap<string, ToolServer>): Promise<void> {
    const idleMs = this.#parts.idleMs ?? IDLE_MS;
    const old = [...this.#entries].filter(([, { server, opened }]) => {
      if (opened === undefined) return false;
      if (opened.isClosed) return true;
      if (opened.idleMs === 0) return false;
      return opened.idleMs > idleMs || servers.get(server.name)?.version !== server.version;
    });
    await this.#end(old.map(([key]) => key));
    for (const [key, breaker] of this.#breakers) {
      if (breaker.lastReason() === undefined) this.#breakers.delete(key);
    }
  }

  async close(of?: { readonly userId: string; readonly server: string }): Promise<void> {
    if (of === undefined) this.#isClosed = true;
    await this.#end(of === undefined ? [...this.#entries.keys()] : [keyOf(of.userId, of.server)]);
  }

  #entryOf(server: ToolServer, userId: string): Entry {
    const key = keyOf(userId, server.name);
    const known = this.#entries.get(key);
    if (known !== undefined && known.opened?.isClosed !== true && known.server.version === server.version)
      return known;
    if (known !== undefined) void this.#end([key]);
    else this.#makeRoom(userId);
    const stop = new AbortController();
    const connection = this.#parts.open(server, userId, stop.signal);
    const entry: Entry = { userId, server, connection, stop, opened: undefined };
    this.#entries.set(key, entry);
    connection.then(
      (opened) => {
        entry.opened = opened;
        // It was replaced while it was opened.
        if (this.#entries.get(key) !== entry) void opened.close();
        else this.#parts.onOpen(opened, userId);
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry;
  }

  /** The one that nobody uses for the longest time gives way. */
  #makeRoom(userId: string): void {
    const { most = MOST, mostPerUser = MOST_PER_USER } = this.#parts;
    const own = [...this.#entries].filter(([, it]) => it.userId === userId);
    const crowded = own.length >= mostPerUser ? own : [...this.#entries];
    if (own.length < mostPerUser && this.#entries.size < most) return;
    const idle = crowded
      .map(([key, { opened }]) => ({ key, idleMs: opened?.idleMs ?? 0 }))
      .toSorted((one, other) => other.idleMs - one.idleMs)[0];
    if (idle === undefined || idle.idleMs === 0) {
      throw new ServerFailure(
        'cancelled',
        'Too many tool servers are at work at the same time. Try again when some of them are done.',
      );
    }
    void this.#end([idle.key]);
  }

  async #end(keys: readonly string[]): Promise<void> {
    const ended = keys.map(async (key) => {
      const entry = this.#entries.get(key);
      this.#entries.delete(key);
      entry?.stop.abort();
      const connection = entry?.opened ?? (await entry?.connection.catch(() => undefined));
      await connection?.close();
    });
    await Promise.all(ended);
  }

  #breakerOf(server: ToolServer, userId: string): Breaker {
    const key = breakerKeyOf(server, userId);
    const breaker = this.#breakers.get(key) ?? createBreaker({ patience: PATIENCE, now: this.#parts.now });
    this.#breakers.set(key, breaker);
    return breaker;
  }
}

/** What speaks of the server, and not of what it was asked for. */
const COUNTED: ReadonlySet<string> = new Set(['unreachable', 'timeout']);

/** Names of servers and ids of users have no spaces. */
function keyOf(userId: string, server: string): string {
  return `${userId} ${server}`;
}

/** A server that is configured otherwise has not failed yet. */
function breakerKeyOf({ name, version }: ToolServer, userId: string): string {
  return `${keyOf(userId, name)} ${version}`;
}
