// Calls a tool as the agent does: arguments checked, then run.
import type { JsonObject } from '../../src/messages/message.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../src/tools/tool.ts';

const CONTEXT: ToolContext = {
  userId: 'ada',
  threadId: 't1',
  runId: 'r1',
  callId: 'call-1',
  signal: new AbortController().signal,
  emit: () => undefined,
  interrupt: () => {
    throw new Error('nobody is there to ask');
  },
};

export async function runTool(tool: Tool, args: JsonObject): Promise<ToolOutcome> {
  const parsed = tool.parse(args);
  return parsed.ok ? parsed.run(CONTEXT) : { kind: 'failure', message: parsed.problem };
}
