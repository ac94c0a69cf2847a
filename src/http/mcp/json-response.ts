// Responses of the MCP server's tools: JSON, or a sentence about a failure and its remedy.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { JsonObject } from '../../messages/message.ts';

/** Returns the value as text for models and as structured content for programs. */
export function jsonResponse(value: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

/**
 * Returns the response of a call. Never throws: the details of any error but a `ServiceError` go to the log,
 * and the client learns only that the call failed.
 */
export async function answered(log: Log, work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    return { content: [{ type: 'text', text: failureSentence(log, error) }], isError: true };
  }
}

/** Returns the sentence about a failure that a client may read. */
export function failureSentence(log: Log, error: unknown): string {
  if (!(error instanceof ServiceError)) {
    log.error({ err: error }, 'A call of an MCP client failed');
    return 'The service could not do this. Try again.';
  }
  const [issue] = error.issues ?? [];
  return issue === undefined ? error.detail : `${issue.loc.slice(1).join('.')}: ${issue.msg}`;
}
