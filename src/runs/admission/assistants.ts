// The agents that a run can name, and what a client sees of each as an "assistant" of the SDK.
import { v5 } from 'uuid';
import { notFound, ServiceError, validationFailed } from '../../errors.ts';
import type { AgentPin, AgentRecord } from '../../storage/agents.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { RunRequest } from '../request/run-request.ts';

export interface Assistant {
  /** What runs are recorded under, and the id on the wire. */
  readonly name: string;
  /** The id that servers of this field derive from the name; clients that kept it may go on using it. */
  readonly derivedId: string;
  readonly description: string;
  readonly version: number;
  /** Of all its runs; `null`: whatever a run asks for. */
  readonly model: string | null;
  /** Times are epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Of an agent that somebody defined; absent for the service's own. */
  readonly pin?: AgentPin;
}

/** Those of the service, which cost no statement, and those that the owner of the repositories sees. */
export interface Assistants {
  list(repositories: Pick<Repositories, 'agents'>): Promise<readonly Assistant[]>;
  /** By name or derived id; `undefined` when there is none. */
  find(repositories: Pick<Repositories, 'agents'>, nameOrId: string): Promise<Assistant | undefined>;
  /** The assistant as each of its versions describes it, newest first. */
  versions(repositories: Pick<Repositories, 'agents'>, assistant: Assistant): Promise<readonly Assistant[]>;
}

interface NamedAgent {
  readonly name: string;
  readonly description: string;
}

/** The namespace in which servers of this field number their agents. */
const AGENTS = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';
const NAME = /^[a-z0-9-]{1,64}$/;
const DERIVED = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function createAssistants(agents: readonly NamedAgent[], now: () => number): Assistants {
  const createdAt = now();
  const own = agents.map((agent): Assistant => {
    const derivedId = v5(agent.name, AGENTS);
    return { ...agent, derivedId, version: 1, model: null, createdAt, updatedAt: createdAt };
  });
  const defined = async ({ agents: repository }: Pick<Repositories, 'agents'>) =>
    (await repository.list()).map(toAssistant);
  return {
    list: async (repositories) => [...own, ...(await defined(repositories))],
    async find(repositories, nameOrId) {
      const isNamed = ({ name, derivedId }: Assistant) =>
        name === nameOrId || derivedId === nameOrId.toLowerCase();
      const found = own.find(isNamed);
      if (found !== undefined) return found;
      const agent = NAME.test(nameOrId) ? await repositories.agents.find(nameOrId) : undefined;
      if (agent !== undefined) return toAssistant(agent);
      return DERIVED.test(nameOrId) ? (await defined(repositories)).find(isNamed) : undefined;
    },
    async versions(repositories, assistant) {
      if (assistant.pin === undefined) return [assistant];
      const versions = await repositories.agents.versions(assistant.pin.agentId);
      return versions.map(({ version, description, model, createdAt: at }) => ({
        ...assistant,
        version,
        description,
        model,
        createdAt: at,
      }));
    },
  };
}

function toAssistant(agent: AgentRecord): Assistant {
  const { agentId, name, description, version, model, createdAt, updatedAt } = agent;
  const derivedId = v5(name, AGENTS);
  return {
    name,
    derivedId,
    description,
    version,
    model,
    createdAt,
    updatedAt,
    pin: { agentId, version },
  };
}

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

/** A run that resumes a waiting one keeps the agent version of that one. */
export function withAssistant(request: RunRequest, { name, model, pin }: Assistant): RunRequest {
  const { agent, ...rest } = request;
  const modelName = request.options.modelName ?? model ?? undefined;
  const options = { ...request.options, ...(modelName === undefined ? {} : { modelName }) };
  const named = { ...rest, assistantId: name, options };
  if (pin === undefined) return named;
  return { ...named, agent: agent?.agentId === pin.agentId ? agent : pin };
}

async function absent({ agents }: Pick<Repositories, 'agents'>, name: string): Promise<ServiceError> {
  if (!NAME.test(name) || !(await agents.wasDeleted(name))) return notFound('Assistant');
  return new ServiceError(
    'not_found',
    `The agent '${name}' was deleted. Its threads stay readable; choose another agent for a new run.`,
  );
}
