// Renders one run as events of Agent Protocol v2. No clock, no storage: the same log gives the same events.
import type { SubagentStatus } from '../../../agent/agent-event.ts';
import { isInside, LEAD_NAMESPACE, namespacePath } from '../../../messages/agent-namespace.ts';
import type { JsonObject } from '../../../messages/message.ts';
import type { RunRecord } from '../../../storage/runs.ts';
import type { LogEvent, SubagentLogEvent } from '../../log/log-event.ts';
import type { ShownState } from '../../request/stream-modes.ts';
import { AgentRenderer } from './agent-renderer.ts';
import type { ProtocolEvent } from './protocol-event.ts';

const ROOT: readonly string[] = [];

/** Must be given the events of one run's log from the first one on, in order. */
export class RunRenderer {
  readonly #run: Pick<RunRecord, 'assistantId'>;
  readonly #lead = new AgentRenderer(ROOT);
  readonly #subagents = new Map<string, AgentRenderer>();
  #isRunning = false;
  #failure: string | undefined;

  constructor(run: Pick<RunRecord, 'assistantId'>) {
    this.#run = run;
  }

  /** `shown` is the state of a `state` event, if its thread exists; `answered` comes with the first state. */
  render(
    event: LogEvent,
    shown: ShownState | undefined,
    answered: readonly string[] = [],
  ): readonly ProtocolEvent[] {
    const events = [...inputAnswered(answered), ...this.#render(event, shown)];
    if (this.#isRunning) return events;
    this.#isRunning = true;
    return [lifecycle(ROOT, { event: 'running', graph_name: this.#run.assistantId }), ...events];
  }

  #render(event: LogEvent, shown: ShownState | undefined): readonly ProtocolEvent[] {
    switch (event.type) {
      case 'attempt':
      case 'output':
        return [];
      case 'error':
        this.#failure = event.message;
        return [];
      case 'end':
        return [
          ...this.#lead.abandon('The run ended before the answer did.', 'aborted'),
          ...this.#endSubagents(LEAD_NAMESPACE, 'cancelled'),
          this.#ended(event),
        ];
      case 'subagent':
        return this.#inside(event, shown);
      default:
        return this.#lead.render(event, shown);
    }
  }

  #inside({ namespace, event }: SubagentLogEvent, shown: ShownState | undefined): readonly ProtocolEvent[] {
    const known = this.#subagents.get(namespace);
    const agent = known ?? new AgentRenderer(namespacePath(namespace));
    this.#subagents.set(namespace, agent);
    const events =
      event.type === 'ended' ? this.#endSubagents(namespace, event.status) : agent.render(event, shown);
    return known === undefined ? [subagentStarted(namespace), ...events] : events;
  }

  /** Ends the sub-agent and those inside it, the innermost first. */
  #endSubagents(namespace: string, status: SubagentStatus): readonly ProtocolEvent[] {
    const ending = [...this.#subagents.keys()].filter((it) => it === namespace || isInside(it, namespace));
    return ending
      .toSorted((one, other) => other.length - one.length)
      .flatMap((it) => {
        const lost = this.#subagents.get(it)?.abandon('The agent ended before the answer did.', 'aborted');
        this.#subagents.delete(it);
        return [
          ...(lost ?? []),
          lifecycle(namespacePath(it), { event: LAST_WORD[status], graph_name: SUBAGENT }),
        ];
      });
  }

  #ended({ status }: Extract<LogEvent, { type: 'end' }>): ProtocolEvent {
    const graph_name = this.#run.assistantId;
    switch (status) {
      case 'success':
        return lifecycle(ROOT, { event: 'completed', graph_name });
      case 'error':
      case 'timeout':
        return lifecycle(ROOT, { event: 'failed', graph_name, error: this.#failure ?? 'The run failed.' });
      case 'interrupted':
      case 'pending':
      case 'running':
        return lifecycle(ROOT, { event: 'interrupted', graph_name });
    }
  }
}

const LAST_WORD = {
  completed: 'completed',
  failed: 'failed',
  timed_out: 'failed',
  cancelled: 'interrupted',
} as const satisfies Record<SubagentStatus, string>;

/** The graph name that clients see for a sub-agent. */
const SUBAGENT = 'subagent';

function subagentStarted(namespace: string): ProtocolEvent {
  const path = namespacePath(namespace);
  const callId = path.at(-1)?.slice('tools:'.length) ?? '';
  const cause = { type: 'toolCall', tool_call_id: callId };
  return lifecycle(path, { event: 'started', graph_name: SUBAGENT, cause });
}

function lifecycle(namespace: readonly string[], data: JsonObject): ProtocolEvent {
  return { channel: 'lifecycle', method: 'lifecycle', namespace, data: () => JSON.stringify(data) };
}

function inputAnswered(ids: readonly string[]): readonly ProtocolEvent[] {
  if (ids.length === 0) return [];
  const data = (): string => JSON.stringify({ interrupt_ids: ids });
  return [{ channel: 'input', method: 'input.answered', namespace: ROOT, data }];
}
