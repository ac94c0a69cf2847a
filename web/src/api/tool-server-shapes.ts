// The fields of tool servers that the app reads.
import * as z from 'zod/mini';

const EFFECTS = ['read', 'idempotent', 'once'] as const;
const APPROVALS = ['always', 'never', 'once_per_thread'] as const;
export type ToolEffect = (typeof EFFECTS)[number];
export type ToolApproval = (typeof APPROVALS)[number];

const definitionSchema = z.object({
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
});
/** The description of a tool that a model is shown. */
export type ToolDefinition = z.infer<typeof definitionSchema>;

const serverToolSchema = z.object({
  /** The name by which the agent calls the tool. */
  name: z.string(),
  /** The name that the server gives the tool. */
  original_name: z.string(),
  title: z.nullable(z.string()),
  description: z.string(),
  enabled: z.boolean(),
  effect: z.enum(EFFECTS),
  approval: z.enum(APPROVALS),
  /** `changed` means that the definition is no longer the approved one, so the tool is not used. */
  state: z.enum(['approved', 'changed', 'new']),
  /** The change of a tool that is not approved. `before` is null when it is unknown. */
  change: z.nullable(
    z.object({ before: z.nullable(definitionSchema), after: definitionSchema, digest: z.string() }),
  ),
});
export type ServerTool = z.infer<typeof serverToolSchema>;

const STATUSES = ['ready', 'connecting', 'failing', 'needs_sign_in', 'disabled'] as const;
export type ServerStatus = (typeof STATUSES)[number];

const toolServerSchema = z.object({
  name: z.string(),
  description: z.string(),
  type: z.string(),
  enabled: z.boolean(),
  status: z.enum(STATUSES),
  /** A sentence that explains why the server does not work, or which part of it is not used. */
  reason: z.nullable(z.string()),
  sign_in: z.object({ required: z.boolean(), signed_in: z.boolean() }),
  tools: z.array(serverToolSchema),
});
export type ToolServer = z.infer<typeof toolServerSchema>;
export const toolServerListSchema = z.object({ servers: z.array(toolServerSchema) });

const stringMap = z.record(z.string(), z.string());
/** The known fields of an entry. All others stay as they are. */
export const entrySchema = z.looseObject({
  enabled: z.optional(z.boolean()),
  type: z.optional(z.string()),
  transport: z.optional(z.string()),
  command: z.optional(z.string()),
  args: z.optional(z.array(z.string())),
  env: z.optional(stringMap),
  url: z.optional(z.string()),
  headers: z.optional(stringMap),
  description: z.optional(z.string()),
  tool_name_prefix: z.optional(z.boolean()),
  tool_call_timeout: z.optional(z.number()),
  session_init_timeout: z.optional(z.number()),
  tools: z.optional(
    z.record(
      z.string(),
      z.looseObject({
        enabled: z.optional(z.boolean()),
        effect: z.optional(z.enum(EFFECTS)),
        approval: z.optional(z.enum(APPROVALS)),
      }),
    ),
  ),
});
export type ServerEntry = z.infer<typeof entrySchema>;
/** Keyed by the name of the server. */
export type ServerEntries = Readonly<Record<string, ServerEntry>>;
export const serverConfigSchema = z.looseObject({ mcpServers: z.record(z.string(), entrySchema) });
/** The document that names all servers. Secrets are masked, and a mask that is sent back changes nothing. */
export type ServerConfig = z.infer<typeof serverConfigSchema>;

export const serverTestSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  latency_ms: z.number(),
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
});
export type ServerTest = z.infer<typeof serverTestSchema>;

export const authorizationSchema = z.object({ authorization_url: z.string() });
