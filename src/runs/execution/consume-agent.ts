// What an agent emits goes to the log, event by event, until it has stopped.
import type { Agent, AgentInput } from '../../agent/agent.ts';
import type { AgentEvent } from '../../agent/agent-event.ts';
import { endingOf, RunAbort, type RunEnding, stateTooLarge } from '../log/run-ending.ts';
import type { RunReporter } from '../record/run-reporter.ts';

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
 * Runs the agent and writes down what it emits, at the pace of the log; returns how it ended. Stops where another process
 * goes on with the run. Throws what the log throws.
 */
export async function consumeAgent(consumer: Consumer, input: AgentInput): Promise<RunEnding> {
  const events = new EventTaker(consumer, input.signal);
  try {
    const stop = await consumer.agent.run(input, (event) => events.take(event));
    events.throwIfRefused();
    return isGivenAway(input.signal) ? ABORTED : endingOf(stop);
  } catch (error) {
    // How the agent reacts to a refusal does not matter.
    const refusal = events.refusal ?? { error };
    if (refusal.error instanceof AgentStopped) return refusal.error.ending;
    throw refusal.error;
  }
}

const ABORTED = endingOf({ kind: 'aborted' });

/** Thrown at an agent that is not to go on. */
class AgentStopped extends Error {
  override readonly name = 'AgentStopped';
  readonly ending: RunEnding;

  constructor(ending: RunEnding) {
    super(`the agent was stopped: ${ending.stopReason}`);
    this.ending = ending;
  }
}

/** Takes what the agent emits, until something goes wrong with it: from then on it refuses everything. */
class EventTaker {
  readonly #consumer: Consumer;
  readonly #signal: AbortSignal;
  #refusal: { readonly error: unknown } | undefined;

  constructor(consumer: Consumer, signal: AbortSignal) {
    this.#consumer = consumer;
    this.#signal = signal;
  }

  get refusal(): { readonly error: unknown } | undefined {
    return this.#refusal;
  }

  throwIfRefused(): void {
    if (this.#refusal !== undefined) throw this.#refusal.error;
  }

  take(event: AgentEvent): Promise<void> | undefined {
    this.throwIfRefused();
    try {
      if (isGivenAway(this.#signal)) throw new AgentStopped(ABORTED);
      const wait = this.#consumer.reporter.report(event);
      const own = event.type === 'subagent' ? event.event : event;
      const isFollowed = own.type === 'state' || own.type === 'tools_start';
      return wait === undefined && !isFollowed ? undefined : this.#written(event, wait);
    } catch (error) {
      throw this.#refused(error);
    }
  }

  async #written(event: AgentEvent, wait: Promise<void> | undefined): Promise<void> {
    const { onProgress, remember, maxStateBytes } = this.#consumer;
    try {
      await wait;
      if (hasEffect(event)) await remember();
      if (isDurableStep(event)) onProgress();
      if (isTooLarge(this.#consumer, event)) throw new AgentStopped(stateTooLarge(maxStateBytes));
    } catch (error) {
      throw this.#refused(error);
    }
  }

  /** Keeps the first failure: later ones are its consequences. */
  #refused(error: unknown): unknown {
    this.#refusal ??= { error };
    return this.#refusal.error;
  }
}

function hasEffect(event: AgentEvent): boolean {
  const own = event.type === 'subagent' ? event.event : event;
  return own.type === 'tools_start' && own.calls.some(({ effect }) => effect !== 'read');
}

/** After a step of the agent or of a sub-agent, when there is more to do. */
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
