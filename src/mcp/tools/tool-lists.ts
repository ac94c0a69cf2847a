// What servers have, as they last said: in memory and on disk, so that a run is set up without asking anybody.
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Breaker, createBreaker } from '../breaker.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionPool } from '../connections/pool.ts';
import { ServerFailure } from '../server-failure.ts';
import type { ToolServer } from '../tool-server.ts';
import { createKeptFile, type KeptFile } from './kept-file.ts';
import { readToolList, type ToolList } from './read-tool-list.ts';
import { serverKey } from './server-key.ts';

export type KnownList =
  | { readonly kind: 'known'; readonly list: ToolList }
  /** It is being read for the first time, since then. */
  | { readonly kind: 'reading'; readonly done: Promise<void>; readonly since: number }
  | { readonly kind: 'failed'; readonly failure: ServerFailure };

export interface ToolLists {
  /** Starts to read what is not known, and what failed a while ago. Within milliseconds. */
  known(server: ToolServer, userId: string): Promise<KnownList>;
  /** The server is connected, or said that its tools changed: its list is read again soon, however often it says so. */
  changed(connection: Connection, userId: string): void;
  /** This is its list now. */
  learn(server: ToolServer, userId: string, list: ToolList): Promise<void>;
  /** What the user had of the server is forgotten, as after they signed in. */
  forget(server: ToolServer, userId: string): Promise<void>;
  /** Nothing is read any more. Resolves when nothing is under way. */
  stop(): Promise<void>;
}

interface ToolListParts {
  readonly dataHome: string;
  readonly pool: ConnectionPool;
  /** Whether the server knows users apart: then each has a list of their own. */
  readonly isPersonal: (server: ToolServer) => boolean;
  readonly now: () => number;
  /** Between two readings because a server said so; twice as long each time that it says so again at once. */
  readonly pauseMs?: number;
}

const listFile = z.object({
  server: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      title: z.string().optional(),
      description: z.string(),
      inputSchema: z.record(z.string(), z.json()),
      digest: z.string(),
    }),
  ),
  leftOut: z.array(z.object({ name: z.string(), reason: z.string() })),
  resources: z.boolean(),
  prompts: z.boolean(),
});

interface Place {
  readonly file: KeptFile<z.output<typeof listFile>>;
  readonly breaker: Breaker;
  list: ToolList | undefined;
  failure: ServerFailure | undefined;
  reading: Promise<void> | undefined;
  readingSince: number;
  readAgain: NodeJS.Timeout | undefined;
  pauseMs: number;
  lastReadAt: number;
}

const MOST_PLACES = 2_000;
const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;

export function createToolLists(parts: ToolListParts): ToolLists {
  return new Lists(parts);
}

class Lists implements ToolLists {
  readonly #parts: ToolListParts;
  readonly #stopped = new AbortController();
  readonly #places = new LRUCache<string, Place>({ max: MOST_PLACES });

  constructor(parts: ToolListParts) {
    this.#parts = parts;
  }

  async known(server: ToolServer, userId: string): Promise<KnownList> {
    if (server.problem !== undefined)
      return { kind: 'failed', failure: new ServerFailure('unreachable', server.problem) };
    const place = this.#placeOf(server, userId);
    place.list ??= await listIn(place.file);
    if (place.list !== undefined) return { kind: 'known', list: place.list };
    if (place.breaker.open() === undefined && place.reading === undefined) this.#read(place, server, userId);
    if (place.failure !== undefined) return { kind: 'failed', failure: place.failure };
    return { kind: 'reading', done: place.reading ?? Promise.resolve(), since: place.readingSince };
  }

  changed(connection: Connection, userId: string): void {
    const place = this.#placeOf(connection.server, userId);
    if (place.readAgain !== undefined || this.#stopped.signal.aborted) return;
    const { pauseMs = PAUSE_MS, now } = this.#parts;
    const isStorm = now() - place.lastReadAt < 2 * place.pauseMs;
    place.pauseMs = isStorm ? Math.min(LONGEST_PAUSE_MS, 2 * place.pauseMs) : pauseMs;
    const wait = place.lastReadAt === 0 ? 0 : place.pauseMs;
    place.readAgain = setTimeout(() => {
      place.readAgain = undefined;
      if (!connection.isClosed) this.#read(place, connection.server, userId);
    }, wait);
  }

  async learn(server: ToolServer, userId: string, list: ToolList): Promise<void> {
    const place = this.#placeOf(server, userId);
    place.list = list;
    place.failure = undefined;
    place.lastReadAt = this.#parts.now();
    place.breaker.worked();
    const { tools, leftOut, resources, prompts } = list;
    await place.file.write({ server: server.name, tools, leftOut, resources, prompts });
  }

  async forget(server: ToolServer, userId: string): Promise<void> {
    const place = this.#placeOf(server, userId);
    clearTimeout(place.readAgain);
    // What is being read would be kept.
    await place.reading;
    this.#places.delete(this.#keyOf(server, userId));
    if (this.#parts.isPersonal(server)) await place.file.remove();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    const places = [...this.#places.values()];
    for (const place of places) clearTimeout(place.readAgain);
    await Promise.all(places.map(({ reading }) => reading));
  }

  /** One reading at a time; whatever comes of it is kept in the place. */
  #read(place: Place, server: ToolServer, userId: string): void {
    if (this.#stopped.signal.aborted) return;
    if (place.reading !== undefined) return;
    place.readingSince = this.#parts.now();
    place.reading = this.#parts.pool
      .use(server, userId, (connection) => readToolList(connection, this.#stopped.signal))
      .then((list) => this.learn(server, userId, list))
      .catch((error: unknown) => {
        place.lastReadAt = this.#parts.now();
        place.failure = failureIn(error, server);
        place.breaker.failed(place.failure.message);
      })
      .finally(() => {
        place.reading = undefined;
      });
  }

  #keyOf(server: ToolServer, userId: string): string {
    return this.#parts.isPersonal(server) ? `${userId} ${server.version}` : server.version;
  }

  #placeOf(server: ToolServer, userId: string): Place {
    const key = this.#keyOf(server, userId);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const { dataHome, isPersonal, now } = this.#parts;
    const folder = isPersonal(server) ? ['users', userId, 'mcp-lists'] : ['mcp', 'lists'];
    const place: Place = {
      file: createKeptFile({ dataHome, folder, name: `${serverKey(server)}.json` }, listFile),
      breaker: createBreaker({ patience: 1, now }),
      list: undefined,
      failure: undefined,
      reading: undefined,
      readingSince: 0,
      readAgain: undefined,
      pauseMs: 0,
      lastReadAt: 0,
    };
    this.#places.set(key, place);
    return place;
  }
}

async function listIn(file: Place['file']): Promise<ToolList | undefined> {
  const kept = await file.read();
  if (kept === undefined) return undefined;
  const { tools, leftOut, resources, prompts } = kept;
  return { tools: tools.map((tool) => ({ ...tool, title: tool.title })), leftOut, resources, prompts };
}

/** Models read it outside of any result, so it holds no words of the server. */
function failureIn(error: unknown, { name }: ToolServer): ServerFailure {
  if (error instanceof ServerFailure && error.kind !== 'refused') return error;
  const details = error instanceof ServerFailure ? error.message : undefined;
  return new ServerFailure(
    'unreachable',
    `The tools of the tool server '${name}' could not be read.`,
    details,
  );
}
