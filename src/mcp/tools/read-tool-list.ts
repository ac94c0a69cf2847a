// Reads a server's tools, page by page, and keeps what fits.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createBreath, inTurns } from '../../breath.ts';
import type { JsonObject } from '../../messages/message.ts';
import { createSerialQueue } from '../../workspace/serial-queue.ts';
import type { Connection } from '../connections/connection.ts';
import { pagesOf } from '../connections/pages.ts';
import { withoutHidden } from '../server-words.ts';
import { cleanSchema } from './clean-schema.ts';
import type { SchemaCheck } from './schema-check.ts';

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** At most 100. */
  readonly leftOut: readonly LeftOut[];
  readonly resources: boolean;
  readonly prompts: boolean;
  /** Characters of everything that describes the tools. */
  readonly characters: number;
}

const MAX_TOOLS = 1_000;
const TOOLS = { method: 'tools/list', field: 'tools', maxPages: 100 };
/** The limit for descriptions and schemas together, in characters: they are read from disk in one piece. */
const MAX_CHARACTERS = 2_097_152;
const MAX_LEFT_OUT = 100;

/** Rejects with `ServerFailure`. Others get their turn between tools, however many there are. */
export type ReadToolList = (connection: Connection, signal: AbortSignal) => Promise<ToolList>;

export function createToolListReader(): ReadToolList {
  let loaded: Promise<SchemaCheck> | undefined;
  // One list after the other: each takes a while before others get their turn, and together too long.
  const inOrder = createSerialQueue();
  const clean = (tools: readonly unknown[], check: SchemaCheck) =>
    inOrder.run('list', () => inTurns(tools, createBreath(), (tool) => listedTool(tool, check)));
  const readInto = async (kept: ToolListBuilder, connection: Connection, signal: AbortSignal) => {
    // Loaded for the first list, with its library.
    loaded ??= import('./schema-check.ts').then(({ createSchemaCheck }) => createSchemaCheck());
    const check = await loaded;
    const limits = { signal, timeoutMs: connection.server.entry.session_init_timeout * 1_000 };
    for await (const tools of pagesOf(connection, TOOLS, limits)) {
      const remaining = MAX_TOOLS - kept.tools.size;
      for (const tool of await clean(tools.slice(0, remaining), check)) kept.add(tool);
      if (tools.length <= remaining) continue;
      kept.leftOut.push({ name: '', reason: `more than ${MAX_TOOLS} tools are not offered` });
      return;
    }
  };
  return async (connection, signal) => {
    const kept = new ToolListBuilder();
    if (connection.has('tools')) await readInto(kept, connection, signal);
    return {
      tools: [...kept.tools.values()],
      leftOut: kept.leftOut.slice(-MAX_LEFT_OUT),
      resources: connection.has('resources'),
      prompts: connection.has('prompts'),
      characters: kept.characters,
    };
  };
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
    if (this.tools.has(name)) this.leftOut.push({ name, reason: 'two tools have this name' });
    else if (this.characters + characters > MAX_CHARACTERS)
      this.leftOut.push({ name, reason: 'all tools together are larger than 2 MB' });
    else {
      this.characters += characters;
      this.tools.set(name, tool);
    }
  }
}

export interface ListedTool {
  /** The server's own name for the tool. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The hash of everything that a model is shown of the tool. */
  readonly digest: string;
}

/** A tool that is not offered, and a clause that explains why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

const MAX_NAME = 1_024;
const MAX_TITLE = 256;
const MAX_DESCRIPTION = 8_192;
const SHOWN_NAME = 100;

const given = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.unknown().optional(),
});

/** Cuts titles and descriptions that are too long. Everything else that does not fit leaves the tool out. */
export function listedTool(item: unknown, check: SchemaCheck): ListedTool | LeftOut {
  const parsed = given.safeParse(item);
  if (!parsed.success) return { name: '', reason: 'it has no name, or its description is no text' };
  const { name: givenName, title, description = '', inputSchema = {} } = parsed.data;
  const name = withoutHidden(givenName);
  const shown = name.slice(0, SHOWN_NAME);
  if (givenName.length > MAX_NAME)
    return { name: shown, reason: `its name is longer than ${MAX_NAME} characters` };
  if (name !== givenName || name.trim() === '')
    return { name: shown, reason: 'its name has signs that nobody sees' };
  const clean = cleanSchema(inputSchema);
  if (!clean.ok) return { name: shown, reason: clean.problem };
  const problem = check(clean.schema);
  if (problem !== undefined) return { name: shown, reason: problem };
  const shownDescription = withoutHidden(description.slice(0, MAX_DESCRIPTION));
  // The same text for objects whose keys come in another order.
  const shownText = JSON.stringify([name, shownDescription, clean.schema], sorted);
  return {
    name,
    title: title === undefined ? undefined : withoutHidden(title.slice(0, MAX_TITLE)),
    description: shownDescription,
    inputSchema: clean.schema,
    digest: createHash('sha256').update(shownText).digest('hex'),
  };
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
