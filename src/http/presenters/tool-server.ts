// Tool servers in their wire format.
import { z } from 'zod';
import type { SignInState } from '../../mcp/oauth/create-oauth.ts';
import type { ServerStatus } from '../../mcp/server-desk.ts';
import { presenterOf } from './presenter-of.ts';
import { jsonObject } from './wire-fields.ts';

/** An entry of the document. Keys that the service does not know are shown as stored. */
export const serverEntryBodySchema = z
  .looseObject({
    enabled: z.boolean().optional(),
    type: z.string().optional().meta({ description: '`stdio`, `sse` or `http`' }),
    command: z.string().optional().meta({ description: 'Of a stdio server: one of `mcp.stdio_commands`' }),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional().meta({
      description:
        'Shown as `***` unless it is `$NAME`, a variable of the service; sending `***` back keeps the value',
    }),
    url: z.string().optional().meta({ description: 'Of an sse or http server' }),
    headers: z.record(z.string(), z.string()).optional().meta({ description: 'Masked as `env` is' }),
    description: z.string().optional(),
  })
  .meta({
    id: 'ToolServerEntry',
    examples: [
      { enabled: true, type: 'stdio', command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] },
    ],
  });

const definitionSchema = z
  .object({ description: z.string(), input_schema: jsonObject })
  .meta({ id: 'ToolDefinition', examples: [{ description: 'Searches.', input_schema: { type: 'object' } }] });

const toolBodySchema = z
  .object({
    name: z.string().meta({ description: 'As the model sees it' }),
    original_name: z.string().meta({ description: 'As the server knows it' }),
    title: z.string().nullable(),
    description: z.string(),
    enabled: z.boolean(),
    effect: z.enum(['read', 'idempotent', 'once']),
    approval: z.enum(['always', 'never', 'once_per_thread']),
    state: z.enum(['approved', 'changed', 'new']).meta({
      description:
        'Unapproved tools are not offered to the model; a tool whose description changed must be approved again',
    }),
    change: z
      .object({ before: definitionSchema.nullable(), after: definitionSchema, digest: z.string() })
      .nullable()
      .meta({
        description:
          'Of a tool that is not approved: what was approved, null where that is not known, and what would be approved, with its digest',
      }),
  })
  .meta({ id: 'ToolOfServer' });

export const toolServerBodySchema = z
  .object({
    name: z.string(),
    description: z.string(),
    type: z.enum(['stdio', 'sse', 'http']),
    enabled: z.boolean(),
    status: z.enum(['ready', 'connecting', 'failing', 'needs_sign_in', 'disabled']),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the server does not work, or which of its tools are not offered' }),
    sign_in: z.object({
      required: z.boolean().meta({ description: 'Each person signs in to it' }),
      signed_in: z.boolean(),
    }),
    tools: z.array(toolBodySchema),
  })
  .meta({ id: 'ToolServer' });

const presentTool = presenterOf(toolBodySchema);

/** Returns a tool server for the user to whom `signIn` belongs. */
export function presentToolServer(
  { server, status, reason, tools }: ServerStatus,
  signIn: SignInState,
): z.output<typeof toolServerBodySchema> {
  const { name, entry } = server;
  const asks = status === 'needs_sign_in' || entry.oauth !== undefined;
  return {
    name,
    description: entry.description,
    type: entry.type,
    enabled: entry.enabled,
    status,
    reason: reason ?? null,
    sign_in: {
      required: signIn === 'signed_in' || signIn === 'missing_scope' || (signIn === 'signed_out' && asks),
      signed_in: signIn === 'signed_in',
    },
    tools: tools.map((tool) =>
      presentTool({
        ...tool,
        title: tool.title ?? null,
        change: tool.change === undefined ? null : presentChange(tool.change),
      }),
    ),
  };
}

type ToolChange = NonNullable<ServerStatus['tools'][number]['change']>;

function presentChange({ before, after, digest }: ToolChange) {
  return {
    before: before === undefined ? null : presentDefinition(before),
    after: presentDefinition(after),
    digest,
  };
}

const presentDefinition = presenterOf(definitionSchema);

export const serverTrialBodySchema = z
  .object({
    success: z.boolean(),
    message: z.string(),
    latency_ms: z.number(),
    tools: z.array(z.object({ name: z.string(), description: z.string() })),
  })
  .meta({ id: 'ToolServerTrial' });
