// What an agent says goes to the log, event by event, until it has finished.
import type { Agent, AgentInput } from '../agent/agent.ts';
import type { AgentEvent, MessageDelta } from '../agent/agent-event.ts';
import { endingOf, INTERNAL_FAILURE, RunAbort, type RunEnding, stateTooLarge } from './run-ending.ts';
import type { RunReporter } from './run-reporter.ts';

export interface Consumer {
  readonly reporter: Pick<RunReporter, 'report' | 'stateBytesAt'>;
  readonly agent: Agent;
  /** Before anything is done that may change files. */
  readonly remember: () => Promise<void>;
  /** The step that the attempt began with is over: what ended an earlier attempt was not this. */
  readonly onProgress: () => void;
  /** An agent whose state takes more does not go on after the step. */
  readonly maxStateBytes: number;
}

/**
 * Runs the agent and writes down what it says, at the pace of the log; answers how it ended. Stops where another process
 * goes on with the run. Throws what the log throws.
 */
export async function consumeAgent(consumer: Consumer, input: AgentInput): Promise<RunEnding> {
  const { reporter, agent, onProgress, remember } = consumer;
  const tell = (piece: MessageDelta) => (isGivenAway(input.signal) ? undefined : reporter.report(piece));
  for await (const event of agent.run({ ...input, tell })) {
    const ending = endingBy(event, input.signal);
    if (ending !== undefined) return ending;
    const wait = reporter.report(event);
    if (wait !== undefined) await wait;
    if (hasEffect(event)) await remember();
    if (isDurableStep(event)) onProgress();
    if (isTooLarge(consumer, event)) return stateTooLarge(consumer.maxStateBytes);
  }
  return INTERNAL_FAILURE;
}

function hasEffect(event: AgentEvent): boolean {
  const own = event.type === 'subagent' ? event.event : event;
  return own.type === 'tools_start' && own.calls.some(({ effect }) => effect !== 'read');
}

function endingBy(event: AgentEvent, signal: AbortSignal): RunEnding | undefined {
  if (isGivenAway(signal)) return endingOf({ kind: 'aborted' });
  return event.type === 'finish' ? endingOf(event.stop) : undefined;
}

/** After a step of the agent, or of one inside it, behind which there is something left to do. */
function isTooLarge({ reporter, maxStateBytes }: Consumer, event: AgentEvent): boolean {
  const own = event.type === 'subagent' ? event.event : event;
  return own.type === 'state' && own.next.length > 0 && reporter.stateBytesAt(event) > maxStateBytes;
}

/** A step that another follows is awaited until it is durable; the last one only counts with the end of the run. */
function isDurableStep(event: AgentEvent): boolean {
  if (event.type !== 'state' || event.next.length === 0) return false;
  return event.node === 'model' || event.node === 'tools';
}

/** Whether another attempt goes on from what is written: what this one still says must not be. */
export function isGivenAway({ reason }: AbortSignal): boolean {
  return reason instanceof RunAbort && reason.why.kind !== 'cancelled';
}
