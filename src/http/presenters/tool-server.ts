// Tool servers as the wire shows them.
import { z } from 'zod';

/** An entry of the document. Keys that the service does not know are shown as they are kept. */
export const serverEntryBodySchema = z
  .looseObject({
    enabled: z.boolean().optional(),
    type: z.string().optional().meta({ description: '`stdio`, `sse` or `http`' }),
    command: z.string().optional().meta({ description: 'Of a stdio server: one of `mcp.stdio_commands`' }),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional().meta({
      description:
        'Shown as `***` unless it is `$NAME`, a variable of the service; `***` sent back keeps the value',
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
