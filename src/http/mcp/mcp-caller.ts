// Who calls a tool of the MCP server, and what the tools work with.

import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { ModelInfo } from '../../models/model.ts';
import type { Assistants } from '../../runs/admission/assistants.ts';
import type { RunService } from '../../runs/run-service.ts';
import type { ThreadRecord } from '../../storage/threads.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { Artifacts } from '../../workspace/artifacts/artifacts.ts';
import type { AppContext } from '../api/context.ts';
import { isThreadId, type ThreadAccess } from '../api/own-thread.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import type { OpenCalls } from './open-calls.ts';

export interface McpToolParts {
  readonly runs: RunService;
  readonly threads: ThreadService;
  readonly artifacts: Artifacts;
  readonly assistants: Assistants;
  readonly models: { list(): readonly ModelInfo[] };
  readonly openStreams: OpenStreams;
  readonly openCalls: OpenCalls;
  readonly log: Log;
  readonly newId: () => string;
}

export interface McpCaller {
  /** Of the request that brought the call. */
  readonly c: AppContext;
  /** `Mcp-Session-Id`; it names the client and holds nothing. */
  readonly session: string | undefined;
}

export const threadIdInput = z.string().min(1).max(64).describe('The id of a thread');

/** Throws `not_found` for a thread that is absent or somebody else's, and to `write` in, for one that is shared. */
export async function threadOfCaller(
  { c }: McpCaller,
  threadId: string,
  access: ThreadAccess,
): Promise<ThreadRecord> {
  const thread = isThreadId(threadId) ? await c.var.repositories.threads.get(threadId) : undefined;
  if (thread === undefined || (access === 'write' && thread.userId === null)) throw notFound('Thread');
  return thread;
}
