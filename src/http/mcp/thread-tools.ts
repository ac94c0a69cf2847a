// MCP tools that read: available agents and models, the user's threads, and the messages of a thread.
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type JsonObject, type MessageContent, textOf } from '../../messages/message.ts';
import type { RunEventRecord } from '../../storage/run-events.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import { timestamp } from '../presenters/wire-fields.ts';
import { answered, jsonResponse } from './json-response.ts';
import { type McpCaller, type McpToolParts, threadIdInput, threadOfCaller } from './mcp-caller.ts';
import { cutText } from './shown-run.ts';

const MAX_TEXT = 10_000;
const MAX_ARGUMENTS = 2_000;
const READ_ONLY = { readOnlyHint: true } as const;

/** Registers `list_agents`, `list_threads` and `read_thread`. */
export function addThreadTools(server: McpServer, parts: McpToolParts, caller: McpCaller): void {
  const { log, models, assistants, threads } = parts;
  const { repositories } = caller.c.var;
  server.registerTool(
    'list_agents',
    {
      title: 'List agents and models',
      description: 'The agents that start_run can give a task to, and the models that they can use.',
      annotations: READ_ONLY,
    },
    () =>
      answered(log, async () =>
        jsonResponse({
          agents: (await assistants.list(repositories)).map(({ name, description }) => ({
            name,
            description,
          })),
          models: models.list().map((model) => ({
            name: model.name,
            display_name: model.displayName,
            description: model.description ?? null,
            supports_thinking: model.supportsThinking,
            supports_vision: model.supportsVision,
          })),
        }),
      ),
  );
  server.registerTool(
    'list_threads',
    {
      title: 'List threads',
      description: 'Your threads, most recently changed first.',
      inputSchema: z.object({
        limit: z.int().min(1).max(100).default(20),
        offset: z.int().min(0).max(1_000_000).default(0).describe('Threads to pass over'),
      }),
      annotations: READ_ONLY,
    },
    ({ limit, offset }) =>
      answered(log, async () => {
        const sorted = { sortBy: 'updated_at', sortOrder: 'desc' } as const;
        const page = await threads.search(repositories, { limit, offset, ...sorted });
        return jsonResponse({ threads: page.threads.map(shownThread), total: page.total });
      }),
  );
  server.registerTool(
    'read_thread',
    {
      title: 'Read a thread',
      description:
        'Messages of a thread, oldest first: the newest page, or the one before `before_seq`. Long texts are cut.',
      inputSchema: z.object({
        thread_id: threadIdInput,
        limit: z.int().min(1).max(50).default(20),
        before_seq: z
          .int()
          .min(0)
          .optional()
          .describe('`next_before_seq` of the current page; returns the older one'),
      }),
      annotations: READ_ONLY,
    },
    ({ thread_id, limit, before_seq: before }) =>
      answered(log, async () => {
        const thread = await threadOfCaller(caller, thread_id, 'read');
        const page = await repositories.runEvents.messages(thread.threadId, {
          limit,
          cursor: before === undefined ? { kind: 'newest' } : { kind: 'before', seq: before },
        });
        return jsonResponse({
          thread: shownThread(thread),
          messages: page.events.map(shownMessage),
          next_before_seq: page.hasMore ? (page.events[0]?.seq ?? null) : null,
        });
      }),
  );
}

function shownThread({ threadId: id, displayName, status, createdAt, updatedAt }: ThreadRecord): JsonObject {
  return {
    thread_id: id,
    title: displayName,
    status,
    created_at: timestamp(createdAt),
    updated_at: timestamp(updatedAt),
  };
}

const recordedMessage = z.looseObject({
  role: z.string().catch('unknown'),
  name: z.string().nullish().catch(null),
  content: z.custom<MessageContent>((value) => typeof value === 'string' || Array.isArray(value)).catch(''),
  tool_calls: z.array(z.looseObject({ name: z.string(), args: z.json() })).catch([]),
});

function shownMessage({ seq, runId, content, createdAt }: RunEventRecord): JsonObject {
  const message = recordedMessage.parse(content);
  const text = textOf(message.content);
  const calls = message.tool_calls.map(({ name, args }) => ({
    name,
    arguments: cutText(JSON.stringify(args), MAX_ARGUMENTS),
  }));
  return {
    seq,
    run_id: runId,
    role: message.role,
    ...(message.role === 'tool' ? { tool: message.name ?? null } : {}),
    text: cutText(text, MAX_TEXT),
    ...(text.length > MAX_TEXT ? { text_is_cut: true } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    at: timestamp(createdAt),
  };
}
