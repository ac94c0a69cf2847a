// Calls a tool as the agent does: checks the arguments, then runs it.
import type { JsonObject } from '../../src/messages/message.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../src/tools/tool.ts';

const CONTEXT: ToolContext = {
  userId: 'ada',
  threadId: 't1',
  runId: 'r1',
  callId: 'call-1',
  seesImages: false,
  knownFiles: new Map(),
  maxCharacters: 100_000,
  signal: new AbortController().signal,
  emit: () => undefined,
  interrupt: () => {
    throw new Error('nobody is there to ask');
  },
};

/** `known` lists the files that the agent knows; by default none. */
export async function runTool(
  tool: Tool,
  args: JsonObject,
  known: Map<string, string> = new Map(),
): Promise<ToolOutcome> {
  const parsed = tool.parse(args);
  return parsed.ok
    ? parsed.run({ ...CONTEXT, knownFiles: known })
    : { kind: 'failure', message: parsed.problem };
}
