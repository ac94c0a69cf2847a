// Options of tool servers: the section `mcp:` of the configuration file.
import { z } from 'zod';

const BARE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export const mcpOptionsSchema = z.strictObject({
  /** Programs that an administrator may name as the command of a stdio server. */
  stdio_commands: z
    .array(z.string().regex(BARE_NAME, 'must be the name of a program, without a folder'))
    .max(100)
    .default(['npx', 'uvx', 'node', 'python3']),
  /** Environment variables to which entries may refer as `$NAME`; absent: all but the service's own. */
  environment: z
    .array(z.string().regex(VARIABLE, 'must be the name of an environment variable'))
    .max(1_000)
    .optional(),
  /** Authorization servers inside the network that may be asked, as `host` or `host:port`. */
  allow_hosts: z.array(z.string().min(1).max(255)).max(100).default([]),
  /** The most servers in the document. */
  max_servers: z.int().min(1).max(1_000).default(100),
});

export type McpOptions = z.output<typeof mcpOptionsSchema>;
