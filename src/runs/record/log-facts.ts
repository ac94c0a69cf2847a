// Facts that the log keeps for its readers beside what the agent reports. Pure.
import type { ToolsStart } from '../../agent/agent-event.ts';
import type { ToolCall } from '../../messages/message.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import type { FoldedCheckpoint } from '../../storage/thread-states.ts';
import type { RunOutput } from '../log/log-event.ts';
import type { RunEnding } from '../log/run-ending.ts';

/** The calls that a person or a middleware changed: the state still has them as the model asked for them. */
export function editedCalls({ calls }: ToolsStart, { messages }: ThreadState): readonly ToolCall[] {
  const asked = new Set(messages.findLast((message) => message.type === 'ai')?.tool_calls);
  return calls.map(({ call }) => call).filter((call) => !asked.has(call));
}

/** Where an agent is. */
export interface AgentPosition {
  readonly at: FoldedCheckpoint;
  /** What is left to do, and whether the run waits for an answer before it does that. */
  readonly next: readonly string[];
  readonly asks: boolean;
}

/** What a run that came to rest by itself gives back; `undefined` when it failed, was cancelled or never began. */
export function outputOf(ending: RunEnding, { at, next, asks }: AgentPosition): RunOutput | undefined {
  const { status, stopReason } = ending;
  const waits = stopReason === 'awaiting_input';
  if (at.checkpointId === null || !(waits || status === 'success')) return undefined;
  return { type: 'output', checkpointId: at.checkpointId, isBreakpoint: waits && next.length > 0 && !asks };
}
