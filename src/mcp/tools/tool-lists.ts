// The latest lists of servers, in memory and on disk, so that a run is set up without asking a server.
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { createFairShare } from '../../fair-share/fair-share.ts';
import type { JsonObject } from '../../messages/message.ts';
import { type Breaker, createBreaker } from '../breaker.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionPool } from '../connections/pool.ts';
import { ServerFailure } from '../server-failure.ts';
import { serverKey, settingsMark, type ToolServer } from '../tool-server.ts';
import { type CachedFile, createCachedFile } from './cached-file.ts';
import type { ReadToolList, ToolList } from './read-tool-list.ts';

export type KnownList =
  | { readonly kind: 'known'; readonly list: ToolList }
  /** It is being read for the first time, since `since`. */
  | { readonly kind: 'reading'; readonly done: Promise<void>; readonly since: number }
  | { readonly kind: 'failed'; readonly failure: ServerFailure };

interface ToolListParts {
  readonly dataHome: string;
  readonly pool: ConnectionPool;
  readonly readTools: ReadToolList;
  /** Whether the server distinguishes users. Each of them has a separate list then. */
  readonly isPersonal: (server: ToolServer) => boolean;
  readonly now: () => number;
  /** The limit for all lists in memory. */
  readonly mostBytes?: number;
}

/** The version of the rules that clean tools. Lists that were cached under older rules are read again. */
const RULES = 2;

const listFile = z.object({
  server: z.string(),
  rules: z.literal(RULES),
  settings: z.string(),
  characters: z.number(),
  tools: z.array(
    z.object({
      name: z.string(),
      title: z.string().optional(),
      description: z.string(),
      // Only the service writes these files, and checking a long one takes long.
      inputSchema: z.custom<JsonObject>((value) => typeof value === 'object' && value !== null),
      digest: z.string(),
    }),
  ),
  leftOut: z.array(z.object({ name: z.string(), reason: z.string() })),
  resources: z.boolean(),
  prompts: z.boolean(),
});

interface Place {
  readonly file: CachedFile<z.output<typeof listFile>>;
  readonly breaker: Breaker;
  list: ToolList | undefined;
  /** Whether the server got other settings since the list was read. */
  isOld: boolean;
  failure: ServerFailure | undefined;
  reading: Promise<void> | undefined;
  readingSince: number;
  pauseMs: number;
  lastReadAt: number;
}

const MOST_BYTES = 67_108_864;
/** For a list without tools, and per character. */
const PLACE_BYTES = 2_000;
const CHARACTER_BYTES = 2;
const KEPT_MS = 3_600_000;
/** Servers whose lists are read at the same time. A user with many waits only for their own. */
const AT_ONCE = { total: 20, perOwner: 4, waitingPerOwner: 1_000, longestWaitMs: Number.POSITIVE_INFINITY };
/** Between two readings that the server caused. Doubles each time that it reports again too soon. */
const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;

export class ToolLists {
  readonly #parts: ToolListParts;
  readonly #stopped = new AbortController();
  readonly #places: LRUCache<string, Place>;
  readonly #readings = new Set<Promise<void>>();
  readonly #turns = createFairShare(AT_ONCE);
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(parts: ToolListParts) {
    this.#parts = parts;
    this.#places = new LRUCache<string, Place>({
      maxSize: parts.mostBytes ?? MOST_BYTES,
      sizeCalculation: ({ list }) => PLACE_BYTES + CHARACTER_BYTES * (list?.characters ?? 0),
      ttl: KEPT_MS,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now: parts.now },
    });
  }

  /** Responds within milliseconds. Starts to read unknown lists, and retries failed ones after a while. */
  async known(server: ToolServer, userId: string): Promise<KnownList> {
    if (server.problem !== undefined)
      return { kind: 'failed', failure: new ServerFailure('unreachable', server.problem) };
    const place = this.#placeOf(server, userId);
    if (place.list === undefined) await this.#load(place, server, userId);
    const isRead = place.list !== undefined && !place.isOld;
    if (!isRead && place.breaker.open() === undefined) this.#read(place, server, userId);
    if (place.list !== undefined) return { kind: 'known', list: place.list };
    if (place.failure !== undefined) return { kind: 'failed', failure: place.failure };
    return { kind: 'reading', done: place.reading ?? Promise.resolve(), since: place.readingSince };
  }

  /** Called when the server connects or reports changed tools. Its list is read again soon, once for all. */
  changed(connection: Connection, userId: string): void {
    const key = this.#keyOf(connection.server, userId);
    if (this.#timers.has(key) || this.#stopped.signal.aborted) return;
    const place = this.#placeOf(connection.server, userId);
    const isStorm = this.#parts.now() - place.lastReadAt < 2 * place.pauseMs;
    place.pauseMs = isStorm ? Math.min(LONGEST_PAUSE_MS, 2 * place.pauseMs) : PAUSE_MS;
    const wait = place.lastReadAt === 0 ? 0 : place.pauseMs;
    const readAgain = (): void => {
      this.#timers.delete(key);
      if (!connection.isClosed)
        this.#read(this.#placeOf(connection.server, userId), connection.server, userId);
    };
    this.#timers.set(key, setTimeout(readAgain, wait));
  }

  async learn(server: ToolServer, userId: string, list: ToolList): Promise<void> {
    const place = this.#placeOf(server, userId);
    this.#keep(this.#keyOf(server, userId), place, list);
    place.isOld = false;
    place.failure = undefined;
    place.lastReadAt = this.#parts.now();
    place.breaker.worked();
    await place.file.write({ ...list, server: server.name, rules: RULES, settings: settingsMark(server) });
  }

  /** Forgets what the user had of the server, as after a sign-in. */
  async forget(server: ToolServer, userId: string): Promise<void> {
    const place = this.#placeOf(server, userId);
    const key = this.#keyOf(server, userId);
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    // Otherwise a reading in progress would store its list.
    await place.reading;
    this.#places.delete(key);
    if (this.#parts.isPersonal(server)) await place.file.remove();
  }

  /** Stops reading. Resolves when no reading is in progress. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all(this.#readings);
  }

  /** Forgets lists that were not used for an hour. */
  sweep(): void {
    this.#places.purgeStale();
  }

  async #load(place: Place, server: ToolServer, userId: string): Promise<void> {
    const kept = await place.file.read();
    if (typeof kept === 'string' || place.list !== undefined) return;
    const { server: _, rules: __, settings, ...list } = kept;
    place.isOld = settings !== settingsMark(server);
    this.#keep(this.#keyOf(server, userId), place, list);
  }

  /** Removes the entry first, because an existing entry keeps its old size. */
  #keep(key: string, place: Place, list: ToolList): void {
    place.list = list;
    this.#places.delete(key);
    this.#places.set(key, place);
  }

  #read(place: Place, server: ToolServer, userId: string): void {
    if (this.#stopped.signal.aborted) return;
    if (place.reading !== undefined) return;
    place.readingSince = this.#parts.now();
    const reading = this.#readInTurn(server, userId)
      .catch((error: unknown) => {
        place.lastReadAt = this.#parts.now();
        place.failure = failureIn(error, server);
        place.breaker.failed(place.failure.message);
      })
      .finally(() => {
        place.reading = undefined;
        this.#readings.delete(reading);
      });
    place.reading = reading;
    this.#readings.add(reading);
  }

  async #readInTurn(server: ToolServer, userId: string): Promise<void> {
    const { pool, readTools } = this.#parts;
    const { signal } = this.#stopped;
    const turn = await this.#turns.use(userId, signal, () =>
      pool.use(server, userId, (connection) => readTools(connection, signal)),
    );
    if (turn.kind !== 'done') throw new ServerFailure('cancelled', 'Too many new tool servers are starting.');
    await this.learn(server, userId, turn.result);
  }

  #keyOf(server: ToolServer, userId: string): string {
    const key = `${server.name} ${server.version}`;
    return this.#parts.isPersonal(server) ? `${userId} ${key}` : key;
  }

  #placeOf(server: ToolServer, userId: string): Place {
    const key = this.#keyOf(server, userId);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const { dataHome, isPersonal, now } = this.#parts;
    const names = isPersonal(server) ? ['users', userId, 'mcp-lists'] : ['mcp', 'lists'];
    const place: Place = {
      file: createCachedFile({ dataHome, names, name: `${serverKey(server)}.json` }, listFile),
      breaker: createBreaker(1, now),
      list: undefined,
      isOld: false,
      failure: undefined,
      reading: undefined,
      readingSince: 0,
      pauseMs: 0,
      lastReadAt: 0,
    };
    this.#places.set(key, place);
    return place;
  }
}

/** Models read the message outside of any result, so it contains no text of the server. */
function failureIn(error: unknown, { name }: ToolServer): ServerFailure {
  if (error instanceof ServerFailure && error.kind !== 'refused') return error;
  const details = error instanceof ServerFailure ? error.message : undefined;
  return new ServerFailure(
    'unreachable',
    `The tools of the tool server '${name}' could not be read.`,
    details,
  );
}
