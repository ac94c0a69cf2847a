// The agents of a run, each with its own position: the lead agent, and sub-agents by their namespace.
import { isInside, LEAD_NAMESPACE } from '../../messages/agent-namespace.ts';
import { AgentReporter, type AgentReporterParts } from './agent-reporter.ts';
import type { ResumedSubagent } from './unfinished-step.ts';

export class AgentReporters {
  readonly lead: AgentReporter;
  readonly #parts: AgentReporterParts;
  readonly #subagents = new Map<string, AgentReporter>();

  constructor(parts: AgentReporterParts) {
    this.#parts = parts;
    this.lead = new AgentReporter(parts, LEAD_NAMESPACE);
  }

  /** Returns the agent of the namespace. An unknown sub-agent begins there. */
  at(namespace: string): AgentReporter {
    if (namespace === LEAD_NAMESPACE) return this.lead;
    const known = this.#subagents.get(namespace);
    if (known !== undefined) return known;
    const agent = new AgentReporter(this.#parts, namespace);
    this.#subagents.set(namespace, agent);
    return agent;
  }

  /** Continues sub-agents where an earlier attempt, or the run that asked the person, left them. */
  resume(subagents: ReadonlyMap<string, ResumedSubagent>): void {
    for (const [namespace, { at, next, begun }] of subagents) {
      const agent = this.at(namespace);
      agent.resumeAt(at, next);
      agent.takeUp(begun);
    }
  }

  places(): Readonly<Record<string, string | null>> {
    return Object.fromEntries(
      [...this.#subagents].map(([namespace, { checkpointId }]) => [namespace, checkpointId]),
    );
  }

  /** Drops the agents inside this one, whose step is over. */
  forgetInside(outer: string): void {
    for (const namespace of this.#subagents.keys())
      if (isInside(namespace, outer)) this.#subagents.delete(namespace);
  }
}
