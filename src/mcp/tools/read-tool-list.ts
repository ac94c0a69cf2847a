// Asks a server for its tools, page by page, and keeps what fits.
import { z } from 'zod';
import { createBreath, inTurns } from '../../breath.ts';
import { createSerialQueue } from '../../workspace/serial-queue.ts';
import type { Connection } from '../connections/connection.ts';
import { type LeftOut, type ListedTool, listedTool } from './listed-tool.ts';
import type { SchemaCheck } from './schema-check.ts';

/** What a server has, as it said when it was asked. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** At most 100 of them. */
  readonly leftOut: readonly LeftOut[];
  readonly resources: boolean;
  readonly prompts: boolean;
  /** Of everything that is said of the tools. */
  readonly characters: number;
}

const MAX_TOOLS = 1_000;
const MAX_PAGES = 100;
/** Of descriptions and schemas together, in characters: they are read from disk in one piece. */
const MAX_CHARACTERS = 2_097_152;
const MAX_LEFT_OUT = 100;

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** Rejects with `ServerFailure`. Others get their turn between tools, however many there are. */
export type ReadToolList = (connection: Connection, signal: AbortSignal) => Promise<ToolList>;

export function createToolListReader(): ReadToolList {
  let loaded: Promise<SchemaCheck> | undefined;
  // One after the other: each takes its time before others get their turn, and all of them together too much.
  const inOrder = createSerialQueue();
  const clean = (tools: readonly unknown[], check: SchemaCheck) =>
    inOrder.run('list', () => inTurns(tools, createBreath(), (tool) => listedTool(tool, check)));
  return async (connection, signal) => {
    const kept = new ToolListBuilder();
    if (connection.has('tools')) {
      // Loaded for the first list, with the library beneath it.
      loaded ??= import('./schema-check.ts').then(({ createSchemaCheck }) => createSchemaCheck());
      const check = await loaded;
      await readPages(connection, signal, { kept, clean: (tools) => clean(tools, check) });
    }
    return {
      tools: [...kept.tools.values()],
      leftOut: kept.leftOut.slice(-MAX_LEFT_OUT),
      resources: connection.has('resources'),
      prompts: connection.has('prompts'),
      characters: kept.characters,
    };
  };
}

interface Reading {
  readonly kept: ToolListBuilder;
  readonly clean: (tools: readonly unknown[]) => Promise<readonly (ListedTool | LeftOut)[]>;
}

async function readPages(
  connection: Connection,
  signal: AbortSignal,
  { kept, clean }: Reading,
): Promise<void> {
  const limits = { signal, timeoutMs: connection.server.entry.session_init_timeout * 1_000 };
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await connection.request({ method: 'tools/list', params }, page, limits);
    const remaining = MAX_TOOLS - kept.tools.size;
    for (const tool of await clean(tools.slice(0, remaining))) kept.add(tool);
    if (tools.length > remaining) {
      kept.leftOut.push({ name: '', reason: `more than ${MAX_TOOLS} tools are not offered` });
      return;
    }
    if (!nextCursor || nextCursor === cursor) return;
    cursor = nextCursor;
  }
}

class ToolListBuilder {
  readonly tools = new Map<string, ListedTool>();
  readonly leftOut: LeftOut[] = [];
  characters = 0;

  add(tool: ListedTool | LeftOut): void {
    if ('reason' in tool) {
      this.leftOut.push(tool);
      return;
    }
    const { name, title = '', description, inputSchema } = tool;
    const characters = name.length + title.length + description.length + JSON.stringify(inputSchema).length;
    if (this.tools.has(name)) this.leftOut.push({ name, reason: 'there are two of this name' });
    else if (this.characters + characters > MAX_CHARACTERS)
      this.leftOut.push({ name, reason: 'all tools together are larger than 2 MB' });
    else {
      this.characters += characters;
      this.tools.set(name, tool);
    }
  }
}
