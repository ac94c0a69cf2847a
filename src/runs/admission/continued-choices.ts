// A run that goes on with a waiting one works as that one did, unless its request says otherwise.
import type { AgentPin } from '../../storage/agents.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { AgentChoices, RunRequest } from '../request/run-request.ts';
import { fromKwargs } from '../request/stored-request.ts';

/** The request with the choices and the agent's version of the run that waits where it begins; as it is when it brings words of its own. */
export async function withContinuedChoices(
  repositories: Repositories,
  threadId: string,
  request: RunRequest,
): Promise<RunRequest> {
  if (request.messages.length > 0) return request;
  const waiting = await waitingRun(repositories, threadId, request.checkpointId);
  if (waiting === undefined) return request;
  const { agent, choices } = choicesOf(waiting);
  const options = { ...request.options, ...choices, ...request.chosen };
  return { ...request, options, ...(agent === undefined ? {} : { agent }) };
}

async function waitingRun(
  { threads, checkpoints, runs }: Repositories,
  threadId: string,
  checkpointId: string | undefined,
): Promise<RunRecord | undefined> {
  const id = checkpointId ?? (await threads.get(threadId))?.headCheckpointId;
  const checkpoint = id == null ? undefined : await checkpoints.get(threadId, id);
  if (checkpoint === undefined || checkpoint.next.length === 0) return undefined;
  // A change of the state is of no run: the newest one is what waits.
  const [newest] = checkpoint.runId === null ? await runs.list(threadId, { limit: 1, offset: 0 }) : [];
  return checkpoint.runId === null ? newest : runs.get(checkpoint.runId);
}

function choicesOf({ kwargs }: RunRecord): {
  readonly agent: AgentPin | undefined;
  readonly choices: AgentChoices;
} {
  const { agent, options } = fromKwargs(kwargs);
  const { modelName, thinking, planMode, subagents, memory } = options;
  const choices = {
    thinking,
    planMode,
    ...(modelName === undefined ? {} : { modelName }),
    ...(subagents === undefined ? {} : { subagents }),
    ...(memory === undefined ? {} : { memory }),
  };
  return { agent, choices };
}
