// One tool server as the document describes it. Unknown keys are kept as they are.
import { z } from 'zod';
import { isFields } from '../../json/unknown-json.ts';

const MAX_TEXT = 8_192;
const MAX_ARGUMENTS = 200;
const MAX_NAMES = 200;
const MAX_TOOLS = 1_000;
const SECONDS = { min: 1, max: 3_600 };

/** Also the prefix of its tools' names, in which providers allow no other characters. */
const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** RFC 9110, 5.6.2. */
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const CONTROL = /\p{Cc}/u;

const text = z.string().max(MAX_TEXT);
const line = text.refine((value) => !CONTROL.test(value), 'must be one line without control characters');
const toolName = z.string().min(1).max(256);

export const serverNameSchema = z
  .string()
  .regex(
    SERVER_NAME,
    'has 1 to 64 letters, digits, hyphens and underscores, and begins with a letter or a digit',
  );

const toolSwitchSchema = z.looseObject({
  enabled: z.boolean().optional(),
  /** How a call may be repeated after a crash; absent: never (`once`). */
  effect: z.enum(['read', 'idempotent', 'once']).optional(),
  approval: z.enum(['always', 'never', 'once_per_thread']).optional(),
});

const oauthSchema = z.looseObject({
  /** `false`: the service never signs in to this server. */
  enabled: z.boolean().default(true),
  /** `authorization_code`: every person signs in. The other two: the service has one account for everyone. */
  grant_type: z
    .enum(['authorization_code', 'client_credentials', 'refresh_token'])
    .default('authorization_code'),
  /** Absent: taken from the server's metadata. */
  token_url: text.optional(),
  client_id: text.optional(),
  client_secret: text.optional(),
  /** How an account of the service sends its secret: in the request body or the `Authorization` header. */
  token_endpoint_auth_method: z
    .enum(['client_secret_post', 'client_secret_basic'])
    .default('client_secret_post'),
  refresh_token: text.optional(),
  scope: text.optional(),
  audience: text.optional(),
  token_field: text.min(1).default('access_token'),
  expires_in_field: text.min(1).default('expires_in'),
  /** How long before its expiry a token is no longer used. */
  refresh_skew_seconds: z.number().min(0).max(3_600).default(60),
  extra_token_params: z.record(text, text).default({}),
});

/** Checks shapes and sizes. `entry-rules.ts` decides what an entry may ask for. */
export const serverEntrySchema = z.looseObject({
  enabled: z.boolean().default(true),
  type: z.enum(['stdio', 'sse', 'http']).default('stdio'),
  command: line.optional(),
  args: z.array(text).max(MAX_ARGUMENTS).default([]),
  env: z
    .record(z.string().regex(VARIABLE, 'must be the name of an environment variable'), text)
    .refine((env) => Object.keys(env).length <= MAX_NAMES, `has at most ${MAX_NAMES} variables`)
    .default({}),
  url: line.optional(),
  headers: z
    .record(z.string().regex(HEADER, 'must be the name of a header'), line)
    .refine((headers) => Object.keys(headers).length <= MAX_NAMES, `has at most ${MAX_NAMES} headers`)
    .default({}),
  oauth: oauthSchema.optional(),
  description: z.string().max(2_048).default(''),
  /** Whether the names of its tools begin with the name of the server. */
  tool_name_prefix: z.boolean().default(true),
  /** Seconds, as in the next field. */
  tool_call_timeout: z.number().min(SECONDS.min).max(SECONDS.max).default(60),
  session_init_timeout: z.number().min(SECONDS.min).max(SECONDS.max).default(30),
  /** Absent: all tools. Tools are named as the server names them, here and in the next fields. */
  allowed_tools: z.array(toolName).max(MAX_TOOLS).optional(),
  denied_tools: z.array(toolName).max(MAX_TOOLS).default([]),
  tools: z
    .record(toolName, toolSwitchSchema)
    .refine((tools) => Object.keys(tools).length <= MAX_TOOLS, `has at most ${MAX_TOOLS} tools`)
    .default({}),
});

/** `type` is set, whatever key the entry used for it. */
export type McpServerEntry = z.output<typeof serverEntrySchema>;
export type McpOauth = NonNullable<McpServerEntry['oauth']>;
export type ToolSwitch = McpServerEntry['tools'][string];

const TRANSPORTS: Readonly<Record<string, string>> = { 'streamable-http': 'http', streamable_http: 'http' };

/** Converts the usual spellings of other programs: `transport` for `type`, and an address without a type. */
export function withType(entry: unknown): unknown {
  if (!isFields(entry)) return entry;
  const { transport, ...rest } = entry;
  const asked = rest.type ?? transport;
  if (typeof asked === 'string') return { ...rest, type: TRANSPORTS[asked] ?? asked };
  if (asked !== undefined) return { ...rest, type: asked };
  return typeof rest.url === 'string' && rest.command === undefined ? { ...rest, type: 'http' } : rest;
}
