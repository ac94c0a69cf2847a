// A message of an MCP client, as far as it is read before the SDK reads it.
import { z } from 'zod';
import { contentObject } from '../../messages/bounded-json.ts';

/** One message: batches are gone from the protocol since 2025-06-18, and would be many requests in one. */
export const mcpMessageSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    /** Absent: a notification. */
    id: z.union([z.string().max(128), z.int()]).optional(),
    method: z
      .string()
      .min(1)
      .max(128)
      .meta({ examples: ['tools/call'] }),
    params: contentObject.optional(),
  })
  .meta({
    id: 'McpMessage',
    examples: [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'start_run', arguments: { message: 'Make a report about tea.', wait_seconds: 45 } },
      },
    ],
  });

export type McpMessage = z.output<typeof mcpMessageSchema>;
