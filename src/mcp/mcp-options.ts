// What an operator may configure about tool servers: what the configuration file says under `mcp:`.
import { z } from 'zod';

const BARE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export const mcpOptionsSchema = z.strictObject({
  /** Programs that an administrator may name as the command of a stdio server. */
  stdio_commands: z
    .array(z.string().regex(BARE_NAME, 'must be the name of a program, without a folder'))
    .max(100)
    .default(['npx', 'uvx', 'node', 'python3']),
  /** Variables of the service's environment that entries may refer to as `$NAME`; absent: all but those it uses itself. */
  environment: z.array(z.string().regex(VARIABLE, 'must be the name of a variable')).max(1_000).optional(),
  /** Authorization servers inside of the network that may be asked, as `host` or `host:port`. */
  allow_hosts: z.array(z.string().min(1).max(255)).max(100).default([]),
  /** Servers in the document. */
  max_servers: z.int().min(1).max(1_000).default(100),
});

export type McpOptions = z.output<typeof mcpOptionsSchema>;
