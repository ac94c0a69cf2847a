// The tools and materials of one connected server, as calls.
import { z } from 'zod';
import type { JsonObject } from '../messages/message.ts';
import type { Asked, Connection, RequestLimits } from './connections/connection.ts';
import { pagesOf } from './connections/pages.ts';
import type { ConnectionPool } from './connections/pool.ts';
import type { McpCall, McpMaterial, ResourceNote } from './mcp-tool.ts';
import {
  type CallResult,
  callResult,
  callResultSchema,
  promptResult,
  promptResultSchema,
  resourceResult,
  resourceResultSchema,
} from './results/result-parts.ts';
import { ServerFailure } from './server-failure.ts';
import { withoutHidden } from './server-words.ts';
import { serverKey, type ToolServer, type ToolServersOf } from './tool-server.ts';

export interface ServerUse {
  readonly pool: ConnectionPool;
  /** The server as it was when the run began. */
  readonly server: ToolServer;
  readonly servers: ToolServersOf;
  readonly userId: string;
}

const MAX_NOTES = 200;
const MAX_PAGES = 20;
const NOTE_CHARACTERS = 500;

/** Calls the tool by the server's own name for it. */
export async function callTool(
  { pool, server: known, servers, userId }: ServerUse,
  tool: { readonly name: string; readonly args: JsonObject },
  parts: McpCall,
): Promise<CallResult> {
  const server = await serverNow(known, servers);
  const timeoutMs = server.entry.tool_call_timeout * 1_000;
  const params = { name: tool.name, arguments: tool.args };
  const { result, note } = await pool.use(server, userId, (connection) =>
    connection.call({ method: 'tools/call', params }, callResultSchema, { ...parts, timeoutMs }),
  );
  const read = await callResult(result);
  return note === undefined ? read : { ...read, notes: [...read.notes, note] };
}

/** Returns the server as configured now. Throws `ServerFailure` when the run may not use it any more. */
async function serverNow(known: ToolServer, servers: ToolServersOf): Promise<ToolServer> {
  const server = (await servers()).get(known.name);
  const name = `The tool server '${known.name}'`;
  if (server?.entry.enabled !== true) throw new ServerFailure('refused', `${name} was switched off.`);
  // The known tools are those of the server before the change.
  if (serverKey(server) !== serverKey(known)) {
    throw new ServerFailure(
      'refused',
      `${name} was replaced. Its new tools will be available in the next turn.`,
    );
  }
  return server;
}

const shortText = z.string().transform((text) => withoutHidden(text.slice(0, NOTE_CHARACTERS)));
const uriText = z.string().max(4_096).transform(withoutHidden);
const named = { name: shortText.default(''), description: shortText.default('') };
const resourceNote = z.looseObject({ uri: uriText, ...named });
const templateNote = z
  .looseObject({ uriTemplate: uriText, ...named })
  .transform(({ uriTemplate, ...it }) => ({ ...it, uri: uriTemplate }));
const promptNote = z.looseObject({
  name: z.string().min(1).max(1_024),
  description: shortText.default(''),
  arguments: z
    .array(z.looseObject({ name: shortText, required: z.boolean().default(false) }))
    .max(50)
    .default([]),
});

const RESOURCES = { method: 'resources/list', field: 'resources', schema: resourceNote };
const TEMPLATES = { method: 'resources/templates/list', field: 'resourceTemplates', schema: templateNote };
const PROMPTS = { method: 'prompts/list', field: 'prompts', schema: promptNote };

/** Returns `undefined` when the server has neither resources nor prompts. */
export function materialOf(
  use: ServerUse,
  has: { readonly resources: boolean; readonly prompts: boolean },
): McpMaterial | undefined {
  if (!has.resources && !has.prompts) return undefined;
  const { pool, server, servers, userId } = use;
  const timeoutMs = server.entry.tool_call_timeout * 1_000;
  const used = async <Result>(work: (connection: Connection) => Promise<Result>) =>
    pool.use(await serverNow(server, servers), userId, work);
  const request = <Schema extends z.ZodType>(asked: Asked, schema: Schema, signal: AbortSignal) =>
    used((connection) => connection.request(asked, schema, { signal, timeoutMs }));
  return {
    server: server.name,
    ...has,
    listResources: (signal) =>
      used(async (connection): Promise<readonly ResourceNote[]> => {
        const resources = await notes(connection, RESOURCES, { signal, timeoutMs });
        const templates = await notes(connection, TEMPLATES, { signal, timeoutMs }).catch(() => []);
        return [...resources, ...templates];
      }),
    async readResource(uri, signal) {
      const asked = { method: 'resources/read', params: { uri } };
      return resourceResult(await request(asked, resourceResultSchema, signal));
    },
    listPrompts: (signal) => used((connection) => notes(connection, PROMPTS, { signal, timeoutMs })),
    async getPrompt(name, args, signal) {
      const asked = { method: 'prompts/get', params: { name, arguments: args } };
      return promptResult(await request(asked, promptResultSchema, signal));
    },
  };
}

interface NoteList<Schema> {
  readonly method: string;
  readonly field: string;
  readonly schema: Schema;
}

async function notes<Schema extends z.ZodType>(
  connection: Connection,
  { schema, ...list }: NoteList<Schema>,
  limits: RequestLimits,
): Promise<z.output<Schema>[]> {
  const found: unknown[] = [];
  for await (const items of pagesOf(connection, { ...list, maxPages: MAX_PAGES }, limits)) {
    found.push(...items.slice(0, MAX_NOTES - found.length));
    if (found.length === MAX_NOTES) break;
  }
  return found.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
