// A run that goes on with a waiting one works as that one did, unless its request says otherwise.
import type { Repositories } from '../storage/storage.ts';
import type { AgentChoices, RunRequest } from './run-request.ts';
import { fromKwargs } from './stored-request.ts';

/** The request with the choices of the run that waits where it begins; as it is when it brings words of its own. */
export async function withContinuedChoices(
  repositories: Repositories,
  threadId: string,
  request: RunRequest,
): Promise<RunRequest> {
  if (request.messages.length > 0) return request;
  const choices = await choicesOfWaiting(repositories, threadId, request.checkpointId);
  return { ...request, options: { ...request.options, ...choices, ...request.chosen } };
}

async function choicesOfWaiting(
  { threads, checkpoints, runs }: Repositories,
  threadId: string,
  checkpointId: string | undefined,
): Promise<AgentChoices> {
  const id = checkpointId ?? (await threads.get(threadId))?.headCheckpointId;
  const checkpoint = id == null ? undefined : await checkpoints.get(threadId, id);
  if (checkpoint === undefined || checkpoint.next.length === 0) return {};
  // A change of the state is of no run: the newest one is what waits.
  const [newest] = checkpoint.runId === null ? await runs.list(threadId, { limit: 1, offset: 0 }) : [];
  const run = checkpoint.runId === null ? newest : await runs.get(checkpoint.runId);
  if (run === undefined) return {};
  const { modelName, thinking, planMode, subagents } = fromKwargs(run.kwargs).options;
  return {
    thinking,
    planMode,
    ...(modelName === undefined ? {} : { modelName }),
    ...(subagents === undefined ? {} : { subagents }),
  };
}
