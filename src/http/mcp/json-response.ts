// What a tool of the MCP server answers: JSON, or a sentence that says why not and what to do.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { JsonObject } from '../../messages/message.ts';

/** The value as text for models, and as it is for programs. */
export function jsonResponse(value: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

/** Never throws: what is not said in a `ServiceError` goes to the log, and its caller learns only that it failed. */
export async function answered(log: Log, work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    return { content: [{ type: 'text', text: failureSentence(log, error) }], isError: true };
  }
}

/** What a client may read of a failure. */
export function failureSentence(log: Log, error: unknown): string {
  if (!(error instanceof ServiceError)) {
    log.error({ err: error }, 'A call of an MCP client failed');
    return 'The service could not do this. Try again.';
  }
  const [issue] = error.issues ?? [];
  return issue === undefined ? error.detail : `${issue.loc.slice(1).join('.')}: ${issue.msg}`;
}
