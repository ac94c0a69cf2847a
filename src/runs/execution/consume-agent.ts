// Writes what an agent emits to the log, event by event, until the agent has stopped.
import type { Agent, AgentInput } from '../../agent/agent.ts';
import type { AgentEvent } from '../../agent/agent-event.ts';
import { endingOf, RunAbort, type RunEnding, stateTooLarge } from '../log/run-ending.ts';
import type { RunReporter } from '../record/run-reporter.ts';

export interface Consumer {
  readonly reporter: Pick<RunReporter, 'report' | 'stateBytesAt'>;
  readonly agent: Agent;
  /** Called before any call that may change files. */
  readonly remember: () => Promise<void>;
  /** Called once the attempt is past its first step: that step did not end an earlier attempt. */
  readonly onProgress: () => void;
  /** An agent with a larger state is stopped after the step. */
  readonly maxStateBytes: number;
}

/** Writes what the agent emits at the log's pace. Returns how the run ended; throws what the log throws. */
export async function consumeAgent(consumer: Consumer, input: AgentInput): Promise<RunEnding> {
  const events = new EventTaker(consumer, input.signal);
  try {
    const stop = await consumer.agent.run(input, (event) => events.take(event));
    events.throwIfRefused();
    return isGivenAway(input.signal) ? ABORTED : endingOf(stop);
  } catch (error) {
    // The agent may react to the refusal in any way.
    const refusal = events.refusal ?? { error };
    if (refusal.error instanceof AgentStopped) return refusal.error.ending;
    throw refusal.error;
  }
}

const ABORTED = endingOf({ kind: 'aborted' });

class AgentStopped extends Error {
  override readonly name = 'AgentStopped';
  readonly ending: RunEnding;

  constructor(ending: RunEnding) {
    super(`the agent was stopped: ${ending.stopReason}`);
    this.ending = ending;
  }
}

/** Accepts the agent's events until one fails, and refuses all events after it. */
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

  /** Keeps the first failure, because later ones are its consequences. */
  #refused(error: unknown): unknown {
    this.#refusal ??= { error };
    return this.#refusal.error;
  }
}

function hasEffect(event: AgentEvent): boolean {
  const own = event.type === 'subagent' ? event.event : event;
  return own.type === 'tools_start' && own.calls.some(({ effect }) => effect !== 'read');
}

/** True after a step of the agent or of a sub-agent with too large a state, if another step follows. */
function isTooLarge({ reporter, maxStateBytes }: Consumer, event: AgentEvent): boolean {
  const own = event.type === 'subagent' ? event.event : event;
  return own.type === 'state' && own.next.length > 0 && reporter.stateBytesAt(event) > maxStateBytes;
}

/** True for a durable step that another follows. The last one only counts with the end of the run. */
function isDurableStep(event: AgentEvent): boolean {
  if (event.type !== 'state' || event.next.length === 0) return false;
  return event.node === 'model' || event.node === 'tools';
}

/** True when another attempt continues from what is written, so that this one must write nothing more. */
export function isGivenAway({ reason }: AbortSignal): boolean {
  return reason instanceof RunAbort && reason.why.kind !== 'cancelled';
}
