// Tool calls that wait for their results.
import type { Message, ToolCall } from './message.ts';

/** Returns the newest reply's calls without results, in order; none if anything but results follows it. */
export function openCalls(messages: readonly Message[]): readonly ToolCall[] {
  const index = messages.findLastIndex(({ type }) => type !== 'tool');
  const reply = messages[index];
  if (reply?.type !== 'ai' || reply.tool_calls.length === 0) return [];
  const answered = new Set(
    messages.slice(index + 1).map((it) => (it.type === 'tool' ? it.tool_call_id : '')),
  );
  return reply.tool_calls.filter(({ id }) => !answered.has(id));
}
