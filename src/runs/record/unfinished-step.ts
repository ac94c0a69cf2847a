// What an earlier attempt of a run left behind: read from the run's log when somebody takes it up again.
import type { BegunStep } from '../../agent/agent.ts';
import type { SubagentOutcome, ToolEnd } from '../../agent/agent-event.ts';
import { isInside, LEAD_NAMESPACE } from '../../messages/agent-namespace.ts';
import type { FrameRepository } from '../../storage/frames.ts';
import { type AgentLogEvent, type LogEvent, loggedEvents, type SubagentEnded } from '../log/log-event.ts';

/** A sub-agent that had begun and whose call has no result. */
export interface EarlierSubagent {
  /** Its last checkpoint; absent when it had none yet. */
  readonly checkpointId?: string;
  readonly begun: BegunStep;
  /** Absent: it had not ended. */
  readonly outcome?: SubagentOutcome;
}

export interface EarlierAttempts {
  /** The place of the last event in the run's log; 0 when there is none. */
  readonly lastSeq: number;
  /** The attempt that spoke last; 0 when none did. */
  readonly attempt: number;
  /** By the lead agent since its last finished step. */
  readonly begun: BegunStep;
  /** By namespace; those inside the step that was not finished. */
  readonly subagents: ReadonlyMap<string, EarlierSubagent>;
}

const NOTHING_BEGUN: BegunStep = { toolEnds: [], startedCallIds: new Set() };

/** What a run has left behind that nobody ever executed. */
export const NOTHING_EARLIER: EarlierAttempts = {
  lastSeq: 0,
  attempt: 0,
  begun: NOTHING_BEGUN,
  subagents: new Map(),
};

const READ_BYTES = 1_048_576;

export async function earlierAttempts(frames: FrameRepository, runId: string): Promise<EarlierAttempts> {
  const agents = new EarlierAgents();
  let lastSeq = 0;
  let attempt = 0;
  for (;;) {
    const rows = await frames.read(runId, lastSeq, READ_BYTES);
    if (rows.length === 0) return { lastSeq, attempt, ...agents.result() };
    for (const { seq, event } of rows.flatMap((row) => loggedEvents(row, lastSeq))) {
      agents.hear(event);
      if (event.type === 'attempt') attempt = event.attempt;
      lastSeq = seq;
    }
  }
}

interface HeardAgent {
  checkpointId?: string;
  messageId?: string;
  outcome?: SubagentOutcome;
  toolEnds: ToolEnd[];
  startedCallIds: Set<string>;
}

/** Folds the log into where each agent of the run stands. */
class EarlierAgents {
  readonly #agents = new Map<string, HeardAgent>();

  hear(event: LogEvent): void {
    switch (event.type) {
      case 'attempt':
      case 'output':
      case 'error':
      case 'end':
        return;
      case 'subagent':
        this.#hearAgent(event.namespace, event.event);
        return;
      default:
        this.#hearAgent(LEAD_NAMESPACE, event);
    }
  }

  #hearAgent(namespace: string, event: AgentLogEvent | SubagentEnded): void {
    const agent = this.#agents.get(namespace) ?? nothingHeard();
    this.#agents.set(namespace, agent);
    switch (event.type) {
      case 'state':
        // The step is over, and with it whatever worked inside it.
        for (const other of this.#agents.keys()) if (isInside(other, namespace)) this.#agents.delete(other);
        this.#agents.set(namespace, { ...nothingHeard(), checkpointId: event.checkpointId });
        return;
      case 'tools_start':
        for (const id of event.callIds) agent.startedCallIds.add(id);
        return;
      case 'tool_end':
        agent.toolEnds.push(event);
        return;
      case 'ended':
        agent.outcome = { status: event.status, text: event.text };
        return;
      case 'text_delta':
      case 'reasoning_delta':
      case 'tool_call_delta':
        agent.messageId = event.messageId;
        return;
      default:
        return;
    }
  }

  result(): Pick<EarlierAttempts, 'begun' | 'subagents'> {
    const subagents = new Map<string, EarlierSubagent>();
    for (const [namespace, { checkpointId, outcome, ...begun }] of this.#agents) {
      if (namespace === LEAD_NAMESPACE) continue;
      const at = checkpointId === undefined ? {} : { checkpointId };
      subagents.set(namespace, { begun, ...at, ...(outcome === undefined ? {} : { outcome }) });
    }
    return { begun: this.#agents.get(LEAD_NAMESPACE) ?? NOTHING_BEGUN, subagents };
  }
}

function nothingHeard(): HeardAgent {
  return { toolEnds: [], startedCallIds: new Set() };
}
