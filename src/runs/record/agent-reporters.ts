// The agents of one attempt of a run: the lead agent, and the sub-agents whose calls have no result yet.
import { isInside, LEAD_NAMESPACE } from '../../messages/agent-namespace.ts';
import { AgentReporter, type AgentReporterParts } from './agent-reporter.ts';
import type { ResumedSubagent } from './subagents-before.ts';

export class AgentReporters {
  readonly lead: AgentReporter;
  readonly #parts: AgentReporterParts;
  readonly #subagents = new Map<string, AgentReporter>();

  constructor(parts: AgentReporterParts) {
    this.#parts = parts;
    this.lead = new AgentReporter(parts, LEAD_NAMESPACE);
  }

  /** The agent of the namespace; a sub-agent that was not heard of begins there. */
  at(namespace: string): AgentReporter {
    if (namespace === LEAD_NAMESPACE) return this.lead;
    const known = this.#subagents.get(namespace);
    if (known !== undefined) return known;
    const agent = new AgentReporter(this.#parts, namespace);
    this.#subagents.set(namespace, agent);
    return agent;
  }

  /** Sub-agents go on where an earlier attempt, or the run that asked the person, has left them. */
  resume(subagents: ReadonlyMap<string, ResumedSubagent>): void {
    for (const [namespace, { at, next, begun }] of subagents) {
      const agent = this.at(namespace);
      agent.resumeAt(at, next);
      agent.takeUp(begun);
    }
  }

  /** The checkpoints of the sub-agents, by namespace. */
  places(): Readonly<Record<string, string | null>> {
    return Object.fromEntries(
      [...this.#subagents].map(([namespace, { checkpointId }]) => [namespace, checkpointId]),
    );
  }

  /** The step of an agent is over, and with it whoever worked inside it. */
  forgetInside(outer: string): void {
    for (const namespace of this.#subagents.keys())
      if (isInside(namespace, outer)) this.#subagents.delete(namespace);
  }
}
