// Which agent a run gets: looked for when the run is accepted, and noted with the version that it has then.
import { notFound, ServiceError, validationFailed } from '../../errors.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { RunRequest } from '../request/run-request.ts';
import type { Assistant, Assistants } from './assistants.ts';

/** Throws `not_found`, which tells of an agent that was deleted, and `validation_failed` for another model than the agent's. */
export async function requireAssistant(
  assistants: Assistants,
  repositories: Pick<Repositories, 'agents'>,
  { assistantId, chosen }: Pick<RunRequest, 'assistantId' | 'chosen'>,
): Promise<Assistant> {
  const assistant = await assistants.find(repositories, assistantId);
  if (assistant === undefined) throw await absent(repositories, assistantId);
  const { model } = assistant;
  if (model !== null && chosen.modelName !== undefined && chosen.modelName !== model)
    throw validationFailed(
      ['body', 'config', 'configurable', 'model_name'],
      `This agent works with the model '${model}'. Leave model_name out, or choose another agent.`,
    );
  return assistant;
}

/** A run that goes on with a waiting one keeps the version of that one. */
export function withAssistant(request: RunRequest, { name, model, pin }: Assistant): RunRequest {
  const { agent, ...rest } = request;
  const modelName = request.options.modelName ?? model ?? undefined;
  const options = { ...request.options, ...(modelName === undefined ? {} : { modelName }) };
  const named = { ...rest, assistantId: name, options };
  if (pin === undefined) return named;
  return { ...named, agent: agent?.agentId === pin.agentId ? agent : pin };
}

const NAME = /^[a-z0-9-]{1,64}$/;

async function absent({ agents }: Pick<Repositories, 'agents'>, name: string): Promise<ServiceError> {
  if (!NAME.test(name) || !(await agents.wasDeleted(name))) return notFound('Assistant');
  return new ServiceError(
    'not_found',
    `The agent '${name}' was deleted. Its threads stay readable; choose another agent for a new run.`,
  );
}
