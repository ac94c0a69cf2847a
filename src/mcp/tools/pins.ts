// Which tools are approved as they are: a tool whose description or schema changes has to be approved again.
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { createSerialQueue } from '../../workspace/serial-queue.ts';
import { serverKey, type ToolServer } from '../tool-server.ts';
import { type CachedFile, createCachedFile, type FilePlace } from './cached-file.ts';
import type { ListedTool } from './read-tool-list.ts';

export type ToolState = 'approved' | 'changed' | 'new';

export type Pins = ReturnType<typeof createPins>;

const pinned = z.object({ server: z.string(), tools: z.record(z.string(), z.string()) });
/** Names ever seen in one list. Tools beyond this have to be approved. */
const MAX_PINS = 10_000;
/** The most files in memory. */
const MOST_FILES = 1_000;

type Digests = ReadonlyMap<string, string>;

/**
 * Stored in `mcp/pins/` and `mcp/approved/` of the data home, and in `mcp-pins/` and `mcp-approved/` of a
 * person.
 */
export function createPins(dataHome: string) {
  const files = new LRUCache<string, CachedFile<z.output<typeof pinned>>>({ max: MOST_FILES });
  const changes = createSerialQueue();
  const placeOf = (server: ToolServer, userId: string | undefined) => {
    const folder = (kind: string) =>
      userId === undefined ? ['mcp', kind] : ['users', userId, `mcp-${kind}`];
    const name = `${serverKey(server)}.json`;
    const names = folder('pins');
    const key = [...names, name].join('/');
    const file = files.get(key) ?? createCachedFile({ dataHome, names, name }, pinned);
    files.set(key, file);
    const definitions = createApprovedDefinitions({ dataHome, names: folder('approved'), name });
    return { key, file, definitions };
  };

  const seen = async (server: ToolServer, tools: readonly ListedTool[], userId: string | undefined) => {
    const { key, file, definitions } = placeOf(server, userId);
    const judged = (reading: PinReading): Digests | undefined => {
      if (reading === 'absent') return undefined;
      const known = digestsIn(reading);
      const isKnown = userId === undefined || reading === 'unreadable' || known.size >= MAX_PINS;
      return isKnown || tools.every(({ name }) => known.has(name)) ? known : undefined;
    };
    return (
      judged(await file.read()) ??
      changes.run(key, async () => {
        const reading = await file.read();
        const known = judged(reading);
        if (known !== undefined) return known;
        const before = digestsIn(reading);
        const more = new Map([...digestsOf(tools), ...before]);
        await definitions.keep(tools.filter(({ name }) => !before.has(name)));
        await file.write({ server: server.name, tools: Object.fromEntries(more) });
        return more;
      })
    );
  };

  return {
    /**
     * Returns the state of each of these tools, by name. All tools of a server that was never listed are
     * approved, because an administrator has just added it. `userId` is set for a server whose tools differ by
     * person; tools that the person sees for the first time are approved then. All are new when the approvals
     * cannot be read.
     */
    async judge(server: ToolServer, tools: readonly ListedTool[], userId: string | undefined) {
      const own = await seen(server, tools, userId);
      const everybodys = userId === undefined ? own : digestsIn(await placeOf(server, undefined).file.read());
      return new Map(tools.map((tool) => [tool.name, stateOf(tool, [own, everybodys])]));
    },
    /** Approves the tools as they are in this list, for everyone. */
    approve(server: ToolServer, tools: readonly ListedTool[]): Promise<void> {
      const { key, file, definitions } = placeOf(server, undefined);
      return changes.run(key, async () => {
        const after = new Map([...digestsIn(await file.read()), ...digestsOf(tools)]);
        await definitions.keep(tools);
        await file.write({ server: server.name, tools: Object.fromEntries(after) });
      });
    },
    /** Returns tools as they were approved, by name, as far as that is stored. `userId` as in `judge`. */
    async approvedAs(server: ToolServer, userId: string | undefined) {
      // Approvals of an administrator come last, so they win.
      const places = userId === undefined ? [undefined] : [userId, undefined];
      const approved = places.map(async (place) => {
        const { file, definitions } = placeOf(server, place);
        const digests = digestsIn(await file.read());
        const kept = await definitions.read();
        return [...kept].filter(([name, { digest }]) => digests.get(name) === digest);
      });
      return new Map((await Promise.all(approved)).flat());
    },
  };
}

type PinReading = z.output<typeof pinned> | 'absent' | 'unreadable';

function digestsIn(reading: PinReading): Digests {
  return new Map(typeof reading === 'string' ? [] : Object.entries(reading.tools));
}

function digestsOf(tools: readonly ListedTool[]): Digests {
  return new Map(tools.map(({ name, digest }) => [name, digest]));
}

function stateOf({ name, digest }: ListedTool, approved: readonly Digests[]): ToolState {
  if (approved.some((digests) => digests.get(name) === digest)) return 'approved';
  return approved.some((digests) => digests.has(name)) ? 'changed' : 'new';
}

export type ToolDefinition = Pick<ListedTool, 'description' | 'inputSchema'>;
type ApprovedDefinition = ToolDefinition & Pick<ListedTool, 'digest'>;

const definition = z.object({
  digest: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.json()),
});
const definitions = z.object({ tools: z.record(z.string(), definition) });
/** The same limit as for a list of tools. */
const MAX_CHARACTERS = 2_097_152;

/** Stores the definitions of tools as they were approved. They are read when someone reviews a change. */
function createApprovedDefinitions(place: FilePlace) {
  const read = async (): Promise<ReadonlyMap<string, ApprovedDefinition>> => {
    const kept = await createCachedFile(place, definitions).read();
    return new Map(Object.entries(typeof kept === 'string' ? {} : kept.tools));
  };
  return {
    read,
    /** Replaces tools of the same names; what does not fit is omitted. Durable when it resolves. */
    async keep(tools: readonly ListedTool[]): Promise<void> {
      const known = await read();
      const definitionOf = ({ digest, description, inputSchema }: ListedTool) => ({
        digest,
        description,
        inputSchema,
      });
      const newest = new Map(tools.map((tool) => [tool.name, definitionOf(tool)]));
      const older = [...known].filter(([name]) => !newest.has(name));
      await createCachedFile(place, definitions).write({ tools: withinLimit([...newest, ...older]) });
    },
  };
}

function withinLimit(entries: readonly (readonly [string, ApprovedDefinition])[]) {
  let characters = 0;
  const fitting = entries.filter((entry) => {
    const length = JSON.stringify(entry).length;
    if (characters + length > MAX_CHARACTERS) return false;
    characters += length;
    return true;
  });
  return Object.fromEntries(fitting);
}
