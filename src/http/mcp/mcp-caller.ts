// The caller of an MCP tool, its message before the SDK reads it, and the dependencies of the tools.
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { contentObject } from '../../messages/bounded-json.ts';
import type { ModelInfo } from '../../models/model.ts';
import type { Assistants } from '../../runs/admission/assistants.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { Artifacts } from '../../workspace/artifacts/artifacts.ts';
import type { AppContext } from '../api/context.ts';
import { findThread, isThreadId, type ThreadAccess } from '../api/route-access.ts';
import type { OpenStreams } from '../streams/open-streams.ts';

export interface McpToolParts {
  readonly runs: RunService;
  readonly threads: ThreadService;
  readonly artifacts: Artifacts;
  readonly assistants: Assistants;
  readonly models: { list(): readonly ModelInfo[] };
  readonly openStreams: OpenStreams;
  readonly openCalls: ReturnType<typeof createOpenCalls>;
  readonly log: Log;
  readonly newId: () => string;
}

export interface McpCaller {
  /** The context of the request with the call. */
  readonly c: AppContext;
  /** `Mcp-Session-Id`. It identifies the client and carries no state. */
  readonly session: string | undefined;
}

export const threadIdInput = z.string().min(1).max(64).describe('The id of a thread');

/**
 * Returns the thread. Throws `not_found` if it is missing or another user's, or shared while `access` is
 * `write`.
 */
export async function threadOfCaller(
  { c }: McpCaller,
  threadId: string,
  access: ThreadAccess,
): Promise<ThreadRecord> {
  if (!isThreadId(threadId)) throw notFound('Thread');
  return findThread(c, threadId, access);
}

/**
 * Identifies a call. A client of the 2025 revisions numbers its calls and cancels one in a separate request.
 */
interface CallName {
  readonly userId: string;
  /** Sent to the client at initialisation and repeated by it. `undefined` for clients that do not send it. */
  readonly session: string | undefined;
  readonly id: string | number;
}

/** The waiting calls of MCP clients, by the names under which clients cancel them. */
export function createOpenCalls() {
  const open = new Map<string, AbortController>();
  return {
    /** Runs the work with a signal that aborts when the client cancels the call in this process. */
    async during<T>(call: CallName, work: (cancelled: AbortSignal) => Promise<T>): Promise<T> {
      const name = nameOf(call);
      const cancelled = new AbortController();
      // Without a session, two clients of a user may use one call id. Neither may cancel the other's call.
      if (call.session === undefined) return work(cancelled.signal);
      open.set(name, cancelled);
      try {
        return await work(cancelled.signal);
      } finally {
        if (open.get(name) === cancelled) open.delete(name);
      }
    },
    /** Cancels a call. Does nothing if the call is not open. */
    cancel: (call: CallName): void => open.get(nameOf(call))?.abort(),
  };
}

function nameOf({ userId, session, id }: CallName): string {
  return JSON.stringify([userId, session ?? null, id]);
}

/**
 * A single message. The protocol dropped batches in 2025-06-18, and a batch would be many requests in one.
 */
export const mcpMessageSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    /** Absent in a notification. */
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

/** The part of an MCP client's message that is read before the SDK reads it. */
export type McpMessage = z.output<typeof mcpMessageSchema>;
