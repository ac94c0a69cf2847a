// Connections per user and server: opened when first needed, shared by the user's calls, closed when unused.
import { LRUCache } from 'lru-cache';
import { type Breaker, createBreaker } from '../breaker.ts';
import { ServerFailure, SessionLost } from '../server-failure.ts';
import type { ToolServer } from '../tool-server.ts';
import type { Connection } from './connection.ts';

interface PoolParts {
  readonly open: (server: ToolServer, userId: string, signal: AbortSignal) => Promise<Connection>;
  readonly onOpen: (connection: Connection, userId: string) => void;
  readonly now: () => number;
}

interface Entry {
  readonly userId: string;
  readonly server: ToolServer;
  readonly connection: Promise<Connection>;
  /** Cancels the attempt to connect. */
  readonly stop: AbortController;
  opened: Connection | undefined;
  uses: number;
}

const IDLE_MS = 300_000;
const MOST = 400;
const MOST_PER_USER = 40;
const PATIENCE = 3;
const MOST_BREAKERS = 10_000;
/** Longer than the longest pause between attempts. A breaker that was not used for this long is forgotten. */
const BREAKER_MS = 3_600_000;

export class ConnectionPool {
  readonly #parts: PoolParts;
  readonly #entries = new Map<string, Entry>();
  /** Entries whose uses may finish, and that get no new ones. */
  readonly #leaving = new Set<Entry>();
  readonly #breakers: LRUCache<string, Breaker>;
  #isClosed = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
    this.#breakers = new LRUCache<string, Breaker>({
      // `max` instead of `maxSize` would allocate all entries up front.
      maxSize: MOST_BREAKERS,
      sizeCalculation: () => 1,
      ttl: BREAKER_MS,
      ttlResolution: 0,
      perf: { now: parts.now },
    });
  }

  /**
   * Uses the connection of the user to the server. Rejects with what `use` rejects with, and with
   * `ServerFailure` when there is no connection. After three failures in a row, a server is not tried for a
   * while. A server that lost the session did nothing, so `use` is called once more, with a new connection.
   */
  async use<Result>(
    server: ToolServer,
    userId: string,
    use: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new ServerFailure('cancelled', 'The service is stopping.');
    const breaker = this.#breakerOf(server, userId);
    const reason = breaker.open();
    if (reason !== undefined)
      throw new ServerFailure('unreachable', `${reason} The service will try again later.`);
    try {
      const once = () => this.#useOnce(this.#entryOf(server, userId), use);
      const result = await once().catch((error: unknown) => {
        if (error instanceof SessionLost) return once();
        throw error;
      });
      breaker.worked();
      return result;
    } catch (error) {
      if (error instanceof ServerFailure && COUNTED.has(error.kind)) breaker.failed(error.message);
      throw error;
    }
  }

  async #useOnce<Result>(entry: Entry, use: (connection: Connection) => Promise<Result>): Promise<Result> {
    entry.uses++;
    try {
      return await use(await entry.connection);
    } catch (error) {
      if (error instanceof ServerFailure && error.kind === 'unreachable') this.#leave(entry);
      throw error;
    } finally {
      entry.uses--;
      if (entry.uses === 0 && this.#leaving.has(entry)) void this.#end([entry]);
    }
  }

  /** Retires the connection: current uses continue, and the next one opens another. */
  #leave(entry: Entry): void {
    if (this.#entries.get(keyOf(entry)) !== entry) return;
    this.#entries.delete(keyOf(entry));
    this.#leaving.add(entry);
  }

  brokenBecause(server: ToolServer, userId: string): string | undefined {
    return this.#breakers.get(keyOf({ userId, server }))?.open();
  }

  /** Allows an immediate retry, as after a change of the server's configuration. */
  forgive(server: string): void {
    for (const key of [...this.#breakers.keys()])
      if (key.split(' ')[1] === server) this.#breakers.delete(key);
  }

  /** Ends connections that are idle, and those of servers that were removed or configured otherwise. */
  async sweep(servers: ReadonlyMap<string, ToolServer>): Promise<void> {
    const old = [...this.#entries.values()].filter(({ server, opened, uses }) => {
      if (opened === undefined) return false;
      if (opened.isClosed) return true;
      if (uses > 0) return false;
      return opened.idleMs > IDLE_MS || servers.get(server.name)?.version !== server.version;
    });
    await this.#end(old);
    for (const [key, breaker] of [...this.#breakers]) {
      const [, name = '', version] = key.split(' ');
      const isOld = servers.get(name)?.version !== version;
      if (isOld || breaker.lastReason() === undefined) this.#breakers.delete(key);
    }
    this.#breakers.purgeStale();
  }

  /** Ends the user's connections to the server, even those being opened. Without `of`, ends all for good. */
  async close(of?: { readonly userId: string; readonly server: string }): Promise<void> {
    if (of === undefined) this.#isClosed = true;
    const all = [...this.#entries.values(), ...this.#leaving];
    await this.#end(
      of === undefined
        ? all
        : all.filter(({ userId, server }) => userId === of.userId && server.name === of.server),
    );
  }

  #entryOf(server: ToolServer, userId: string): Entry {
    const key = keyOf({ userId, server });
    const known = this.#entries.get(key);
    if (known !== undefined && known.opened?.isClosed !== true) return known;
    if (known !== undefined) void this.#end([known]);
    else this.#evictOne(userId);
    const stop = new AbortController();
    const connection = this.#parts.open(server, userId, stop.signal);
    const entry: Entry = { userId, server, connection, stop, opened: undefined, uses: 0 };
    this.#entries.set(key, entry);
    connection.then(
      (opened) => {
        entry.opened = opened;
        // If the entry was ended while its connection was opened, `#end` closes the connection.
        if (this.#entries.get(key) === entry) this.#parts.onOpen(opened, userId);
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry;
  }

  /** Ends the connection that has been idle for the longest time, when there are too many. */
  #evictOne(userId: string): void {
    const everybodys = [...this.#entries.values()];
    const own = everybodys.filter((it) => it.userId === userId);
    const crowded = own.length >= MOST_PER_USER ? own : everybodys;
    if (own.length < MOST_PER_USER && this.#entries.size < MOST) return;
    const idleMs = ({ opened }: Entry) => opened?.idleMs ?? 0;
    const idle = crowded
      .filter(({ uses }) => uses === 0)
      .toSorted((one, other) => idleMs(other) - idleMs(one))[0];
    if (idle === undefined) {
      throw new ServerFailure(
        'cancelled',
        'Too many tool servers are in use. Try again when some of them are done.',
      );
    }
    void this.#end([idle]);
  }

  async #end(entries: readonly Entry[]): Promise<void> {
    const ended = entries.map(async (entry) => {
      if (this.#entries.get(keyOf(entry)) === entry) this.#entries.delete(keyOf(entry));
      entry.stop.abort();
      const connection = entry.opened ?? (await entry.connection.catch(() => undefined));
      await connection?.close();
      this.#leaving.delete(entry);
    });
    await Promise.all(ended);
  }

  #breakerOf(server: ToolServer, userId: string): Breaker {
    const key = keyOf({ userId, server });
    const breaker = this.#breakers.get(key) ?? createBreaker(PATIENCE, this.#parts.now);
    this.#breakers.set(key, breaker);
    return breaker;
  }
}

/** Failures of the server itself, not of one request. */
const COUNTED: ReadonlySet<string> = new Set(['unreachable', 'timeout']);

/** Names of servers and ids of users have no spaces. A server with another configuration has another key. */
function keyOf({ userId, server }: Pick<Entry, 'userId' | 'server'>): string {
  return `${userId} ${server.name} ${server.version}`;
}
