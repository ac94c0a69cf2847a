// The tool calls that a run leaves open when it ends early: each still gets exactly one result.
import type { UnfinishedStep } from '../../agent/agent.ts';
import type { ToolEnd } from '../../agent/agent-event.ts';
import { type Message, toolMessage } from '../../messages/message.ts';
import { openCalls } from '../../messages/open-calls.ts';

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
    const wasRunning = begun.startedCallIds.has(call.id);
    const content = wasRunning ? OUTCOME_UNKNOWN : NOT_RUN;
    const message = toolMessage(newId(), call, { content, status: 'error' });
    const end: ToolEnd = { type: 'tool_end', message, values: {}, awaitsInput: false };
    return { end: wasRunning ? { ...end, isOutcomeUnknown: true } : end, isKnown: false };
  });
}
