// What an earlier attempt of a run, or the run that asked the person, left behind; read when a run starts.
import type { BegunStep, SubagentProgress } from '../../agent/agent.ts';
import type { SubagentOutcome, ToolEnd } from '../../agent/agent-event.ts';
import { isInside, LEAD_NAMESPACE } from '../../messages/agent-namespace.ts';
import type { FrameRepository } from '../../storage/frames.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { FoldedCheckpoint, ThreadStates } from '../../storage/thread-states.ts';
import { type AgentLogEvent, type LogEvent, loggedEvents, type SubagentEnded } from '../log/log-event.ts';
import { nodeOf } from '../request/starting-point.ts';

interface EarlierSubagent {
  /** Its last checkpoint; absent when it had none yet. */
  readonly checkpointId?: string;
  readonly begun: BegunStep;
  /** Absent if it had not ended. */
  readonly outcome?: SubagentOutcome;
}

export interface EarlierAttempts {
  /** The position of the last event in the run's log; 0 when there is none. */
  readonly lastSeq: number;
  /** The last attempt in the log; 0 when there is none. */
  readonly attempt: number;
  /** What the lead agent has begun since its last finished step. */
  readonly begun: BegunStep;
  /** Sub-agents inside the unfinished step, by namespace. */
  readonly subagents: ReadonlyMap<string, EarlierSubagent>;
}

const NOTHING_BEGUN: BegunStep = { toolEnds: [], startedCallIds: new Set() };

/** What a run that was never executed has left behind. */
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
        // The step is over, and with it the agents inside it.
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

export interface ResumedSubagent {
  readonly at: FoldedCheckpoint;
  readonly next: readonly string[];
  readonly begun: BegunStep;
  readonly outcome: SubagentOutcome | undefined;
}

interface SubagentsBefore {
  readonly states: ThreadStates;
  readonly repositories: Repositories;
  readonly threadId: string;
  /** The checkpoints of the sub-agents when the person was asked, by namespace. */
  readonly asked: ReadonlyMap<string, string>;
  /** Sub-agents of earlier attempts of the same run. These take precedence. */
  readonly earlier: ReadonlyMap<string, EarlierSubagent>;
}

/** Returns sub-agents by namespace, without those that lack a checkpoint or a thread and start over. */
export async function subagentsBefore(
  before: SubagentsBefore,
): Promise<ReadonlyMap<string, ResumedSubagent>> {
  const { states, repositories, threadId, asked, earlier } = before;
  const left = new Map<string, EarlierSubagent>(
    [...asked].map(([namespace, checkpointId]) => [namespace, { checkpointId, begun: NOTHING_BEGUN }]),
  );
  for (const [namespace, subagent] of earlier) left.set(namespace, { ...left.get(namespace), ...subagent });
  const subagents = new Map<string, ResumedSubagent>();
  for (const [namespace, { checkpointId, begun, outcome }] of left) {
    if (checkpointId === undefined) continue;
    const record = await repositories.checkpoints.get(threadId, checkpointId);
    const at = record && (await states.at(repositories.checkpoints, threadId, checkpointId));
    if (record !== undefined && at !== undefined)
      subagents.set(namespace, { at, next: record.next, begun, outcome });
  }
  return subagents;
}

export function progressOf({ at, next, begun, outcome }: ResumedSubagent): SubagentProgress {
  const node = next.length === 0 ? undefined : nodeOf({ next });
  return { state: at.state, step: at.step + 1, next: node, begun, outcome };
}
