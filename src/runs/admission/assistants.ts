// The agents that a run can name, and how a client sees each of them as an "assistant" of the SDK.
import { v5 } from 'uuid';
import { notFound, ServiceError, validationFailed } from '../../errors.ts';
import type { AgentPin, AgentRecord } from '../../storage/agents.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { RunRequest } from '../request/run-request.ts';

export interface Assistant {
  /** The name under which runs are recorded, which is also the id on the wire. */
  readonly name: string;
  /** The id that comparable servers derive from the name. Clients that stored it may continue to use it. */
  readonly derivedId: string;
  readonly description: string;
  readonly version: number;
  /** The model of all its runs; `null` when each run chooses one. */
  readonly model: string | null;
  /** Times are epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The version of an agent that a user defined; absent for the service's own agents. */
  readonly pin?: AgentPin;
}

/** The agent of the service, which needs no query, and those that the owner of the repositories sees. */
export interface Assistants {
  list(repositories: Pick<Repositories, 'agents'>): Promise<readonly Assistant[]>;
  /** Finds an assistant by its name or derived id; `undefined` when there is none. */
  find(repositories: Pick<Repositories, 'agents'>, nameOrId: string): Promise<Assistant | undefined>;
  /** Returns the assistant as each of its versions describes it, newest first. */
  versions(repositories: Pick<Repositories, 'agents'>, assistant: Assistant): Promise<readonly Assistant[]>;
}

/** The namespace from which comparable servers derive the ids of their agents. */
const AGENTS = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';
const NAME = /^[a-z0-9-]{1,64}$/;
const DERIVED = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

type OwnAgent = Pick<Assistant, 'name' | 'description'>;

/** `agent` is the one of the service itself. */
export function createAssistants(agent: OwnAgent, now: () => number): Assistants {
  const createdAt = now();
  const times = { createdAt, updatedAt: createdAt };
  const own: Assistant = { ...agent, derivedId: v5(agent.name, AGENTS), version: 1, model: null, ...times };
  const defined = async ({ agents: repository }: Pick<Repositories, 'agents'>) =>
    (await repository.list()).map(toAssistant);
  return {
    list: async (repositories) => [own, ...(await defined(repositories))],
    async find(repositories, nameOrId) {
      const isNamed = ({ name, derivedId }: Assistant) =>
        name === nameOrId || derivedId === nameOrId.toLowerCase();
      if (isNamed(own)) return own;
      const found = NAME.test(nameOrId) ? await repositories.agents.find(nameOrId) : undefined;
      if (found !== undefined) return toAssistant(found);
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

/** Throws `not_found`, mentioning a deletion, and `validation_failed` for a model other than the agent's. */
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

/** Returns the request for this assistant. A run that resumes a waiting one keeps its agent version. */
export function withAssistant(request: RunRequest, { name, model, pin }: Assistant): RunRequest {
  const { agent } = request;
  const modelName = request.options.modelName ?? model ?? undefined;
  const options = { ...request.options, ...(modelName === undefined ? {} : { modelName }) };
  return { ...request, assistantId: name, options, agent: agent?.agentId === pin?.agentId ? agent : pin };
}

async function absent({ agents }: Pick<Repositories, 'agents'>, name: string): Promise<ServiceError> {
  if (!NAME.test(name) || !(await agents.wasDeleted(name))) return notFound('Assistant');
  return new ServiceError(
    'not_found',
    `The agent '${name}' was deleted. Its threads stay readable; choose another agent for a new run.`,
  );
}
