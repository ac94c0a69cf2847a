// Where the sub-agents stand that an interrupted step has left: from the run's own log, or from the run that asked.
import type { AgentNode, BegunStep, SubagentProgress } from '../../agent/agent.ts';
import type { SubagentOutcome } from '../../agent/agent-event.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { FoldedCheckpoint, ThreadStates } from '../../storage/thread-states.ts';
import type { EarlierSubagent } from './unfinished-step.ts';

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
  /** Their checkpoints, by namespace, when the person was asked. */
  readonly asked: ReadonlyMap<string, string>;
  /** Of earlier attempts of the same run, which know better. */
  readonly earlier: ReadonlyMap<string, EarlierSubagent>;
}

const NOTHING_BEGUN: BegunStep = { toolEnds: [], startedCallIds: new Set() };

/** By namespace. One that had no checkpoint yet, or whose thread is gone, begins anew and is left out. */
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

/** As the agent wants to know it. */
export function progressOf({ at, next, begun, outcome }: ResumedSubagent): SubagentProgress {
  return { state: at.state, step: at.step + 1, next: nodeOf(next), begun, outcome };
}

function nodeOf([node]: readonly string[]): AgentNode | undefined {
  if (node === undefined) return undefined;
  return node === 'tools' ? 'tools' : 'model';
}
