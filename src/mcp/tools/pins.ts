// Which tools are approved as they are: a tool that says something else of itself later has to be approved again.
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';
import { createSerialQueue } from '../../workspace/serial-queue.ts';
import { serverKey, type ToolServer } from '../tool-server.ts';
import { type CachedFile, type CachedReading, createCachedFile, type FilePlace } from './cached-file.ts';
import type { ListedTool } from './listed-tool.ts';

export type ToolState = 'approved' | 'changed' | 'new';

export interface Pins {
  /**
   * The state of each of these tools, by name. Of a server that was never listed all are approved: an administrator has
   * just added it. `userId`: of a server whose tools each person has for themselves; what the person sees for the first
   * time is approved then. All are new where the approvals cannot be read.
   */
  judge(
    server: ToolServer,
    tools: readonly ListedTool[],
    userId: string | undefined,
  ): Promise<ReadonlyMap<string, ToolState>>;
  /** They are approved as they are in this list, for everybody. */
  approve(server: ToolServer, tools: readonly ListedTool[]): Promise<void>;
  /** What tools were when they were approved, by name, as far as it is kept. `userId` as in `judge`. */
  approvedAs(server: ToolServer, userId: string | undefined): Promise<ReadonlyMap<string, ToolDefinition>>;
}

const pinned = z.object({ server: z.string(), tools: z.record(z.string(), z.string()) });
/** Names that were ever seen in one list: those behind them have to be approved. */
const MAX_PINS = 10_000;
/** That are in memory. */
const MOST_FILES = 1_000;

/** Digests by the names of tools. */
type Digests = ReadonlyMap<string, string>;

/** Kept in `mcp/pins/` and `mcp/approved/` of the data home, and in `mcp-pins/` and `mcp-approved/` of a person. */
export function createPins(dataHome: string): Pins {
  const files = new LRUCache<string, CachedFile<z.output<typeof pinned>>>({ max: MOST_FILES });
  const changes = createSerialQueue();
  const placeOf = (server: ToolServer, userId: string | undefined) => {
    const folder = userId === undefined ? ['mcp', 'pins'] : ['users', userId, 'mcp-pins'];
    const name = `${serverKey(server)}.json`;
    const key = [...folder, name].join('/');
    const file = files.get(key) ?? createCachedFile({ dataHome, folder, name }, pinned);
    files.set(key, file);
    return { key, file };
  };

  const definitionsOf = (server: ToolServer, userId: string | undefined): ApprovedDefinitions => {
    const folder = userId === undefined ? ['mcp', 'approved'] : ['users', userId, 'mcp-approved'];
    return createApprovedDefinitions({ dataHome, folder, name: `${serverKey(server)}.json` });
  };

  const seen = async (
    server: ToolServer,
    tools: readonly ListedTool[],
    userId: string | undefined,
  ): Promise<Digests> => {
    const { key, file } = placeOf(server, userId);
    const judged = (reading: PinReading): Digests | undefined => {
      if (reading.kind === 'absent') return undefined;
      const known = digestsIn(reading);
      const isKnown = userId === undefined || reading.kind === 'unreadable' || known.size >= MAX_PINS;
      return isKnown || tools.every(({ name }) => known.has(name)) ? known : undefined;
    };
    return (
      judged(await file.readResult()) ??
      changes.run(key, async () => {
        const reading = await file.readResult();
        const known = judged(reading);
        if (known !== undefined) return known;
        const before = digestsIn(reading);
        const more = new Map([...digestsOf(tools), ...before]);
        await definitionsOf(server, userId).keep(tools.filter(({ name }) => !before.has(name)));
        await file.write({ server: server.name, tools: Object.fromEntries(more) });
        return more;
      })
    );
  };

  return {
    async judge(server, tools, userId) {
      const own = await seen(server, tools, userId);
      const everybodys =
        userId === undefined ? own : digestsIn(await placeOf(server, undefined).file.readResult());
      return new Map(tools.map((tool) => [tool.name, stateOf(tool, [own, everybodys])]));
    },
    approve(server, tools) {
      const { key, file } = placeOf(server, undefined);
      return changes.run(key, async () => {
        const after = new Map([...digestsIn(await file.readResult()), ...digestsOf(tools)]);
        await definitionsOf(server, undefined).keep(tools);
        await file.write({ server: server.name, tools: Object.fromEntries(after) });
      });
    },
    async approvedAs(server, userId) {
      // What an administrator approved comes last, and counts.
      const places = userId === undefined ? [undefined] : [userId, undefined];
      const approved = places.map(async (place) => {
        const digests = digestsIn(await placeOf(server, place).file.readResult());
        const kept = await definitionsOf(server, place).read();
        return [...kept].filter(([name, { digest }]) => digests.get(name) === digest);
      });
      return new Map((await Promise.all(approved)).flat());
    },
  };
}

type PinReading = CachedReading<z.output<typeof pinned>>;

function digestsIn(reading: PinReading): Digests {
  return new Map(reading.kind === 'read' ? Object.entries(reading.value.tools) : []);
}

function digestsOf(tools: readonly ListedTool[]): Digests {
  return new Map(tools.map(({ name, digest }) => [name, digest]));
}

function stateOf({ name, digest }: ListedTool, approved: readonly Digests[]): ToolState {
  if (approved.some((digests) => digests.get(name) === digest)) return 'approved';
  return approved.some((digests) => digests.has(name)) ? 'changed' : 'new';
}

export interface ToolDefinition {
  readonly description: string;
  readonly inputSchema: JsonObject;
}

interface ApprovedDefinition extends ToolDefinition {
  /** Of the tool as it was approved. */
  readonly digest: string;
}

/** What tools said of themselves when they were approved, so that people see what is different now. */
interface ApprovedDefinitions {
  /** These replace what is kept of tools of the same names. What does not fit is omitted. Durable when it resolves. */
  keep(tools: readonly ListedTool[]): Promise<void>;
  /** By the names of the tools. */
  read(): Promise<ReadonlyMap<string, ApprovedDefinition>>;
}

const definition = z.object({
  digest: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.json()),
});
const definitions = z.object({ tools: z.record(z.string(), definition) });
/** As much as a list of tools may have. */
const MAX_CHARACTERS = 2_097_152;

/** Holds nothing in memory: it is read when somebody looks at a change. */
function createApprovedDefinitions(place: FilePlace): ApprovedDefinitions {
  const read: ApprovedDefinitions['read'] = async () => {
    const kept = await createCachedFile(place, definitions).read();
    return new Map(Object.entries(kept?.tools ?? {}));
  };
  return {
    read,
    async keep(tools) {
      const known = await read();
      const newest = new Map(
        tools.map(({ name, digest, description, inputSchema }) => [
          name,
          { digest, description, inputSchema },
        ]),
      );
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
