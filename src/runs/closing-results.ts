// The tool calls that a run leaves open when it ends early: each still gets exactly one result.
import type { UnfinishedStep } from '../agent/agent.ts';
import type { ToolEnd } from '../agent/agent-event.ts';
import { type Message, type ToolCall, toolMessage } from '../messages/message.ts';

export interface ClosingResult {
  readonly end: ToolEnd;
  /** It was reported already, and only the state lacks it. */
  readonly isKnown: boolean;
}

/** What the step that was not finished has left behind: `toolEnds` and `startedCallIds`. */
type BegunCalls = Pick<UnfinishedStep, 'toolEnds' | 'startedCallIds'>;

const NOT_RUN = 'Error: the run ended before this tool was run.';
const OUTCOME_UNKNOWN =
  'Error: the run ended while this tool was running, and it is not known whether it took effect.';

/** In the order of the calls; empty when the newest answer has all its results. */
export function closingResults(
  messages: readonly Message[],
  begun: BegunCalls,
  newId: () => string,
): readonly ClosingResult[] {
  return openCalls(messages).map((call) => {
    const known = begun.toolEnds.find(({ message }) => message.tool_call_id === call.id);
    if (known !== undefined) return { end: known, isKnown: true };
    const content = begun.startedCallIds.has(call.id) ? OUTCOME_UNKNOWN : NOT_RUN;
    const message = toolMessage(newId(), call, { content, status: 'error' });
    return { end: { type: 'tool_end', message, values: {}, awaitsInput: false }, isKnown: false };
  });
}

/** The calls of the newest answer that have no result, when nothing but results came after it. */
function openCalls(messages: readonly Message[]): readonly ToolCall[] {
  const index = messages.findLastIndex(({ type }) => type !== 'tool');
  const answer = messages[index];
  if (answer?.type !== 'ai') return [];
  const results = messages.slice(index + 1).map((it) => (it.type === 'tool' ? it.tool_call_id : ''));
  return answer.tool_calls.filter(({ id }) => !results.includes(id));
}
