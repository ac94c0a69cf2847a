// Agents that people define: who may see and change them, and what a run works with.
import { LRUCache } from 'lru-cache';
import { conflict, notFound, ServiceError, validationFailed } from '../errors.ts';
import type {
  AgentDefinition,
  AgentPin,
  AgentRecord,
  AgentRepository,
  AgentVersion,
} from '../storage/agents.ts';
import type { Storage } from '../storage/storage.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import { type AgentFile, agentFile, toDefinition } from './agent-definition.ts';

/** The user who makes the request. */
interface AgentAuthor {
  readonly userId: string;
  readonly isAdministrator: boolean;
  readonly clientIp: string | null;
}

export type { AgentPin };

/** What a run works with. */
export type AgentProfile = AgentVersion & { readonly name: string };
export type AgentProfileOf = (pin: AgentPin) => Promise<AgentProfile | undefined>;

/** Another person's agent that is not shared counts as absent: `not_found`. */
export interface Agents {
  /** Returns the user's own and the shared agents, by name. */
  list(userId: string): Promise<readonly AgentRecord[]>;
  get(userId: string, name: string): Promise<AgentRecord>;
  /** Throws `conflict` for a name that the person uses already, `validation_failed` for an unknown model. */
  create(author: AgentAuthor, name: string, definition: AgentDefinition): Promise<AgentRecord>;
  /** Adds a version. Throws `forbidden` for another person's shared agent. */
  update(author: AgentAuthor, name: string, definition: AgentDefinition): Promise<AgentRecord>;
  /** Only administrators share. Throws `forbidden`, and `conflict` when the name is shared already. */
  share(author: AgentAuthor, name: string, isShared: boolean): Promise<AgentRecord>;
  delete(author: AgentAuthor, name: string): Promise<void>;
  /** Returns the versions, newest first. */
  versions(userId: string, name: string): Promise<readonly AgentVersion[]>;
  version(userId: string, name: string, version: number): Promise<AgentVersion>;
  fileOf(userId: string, name: string): Promise<AgentFile>;
  /** `leftOut` lists what this service does not have. */
  bringIn(
    author: AgentAuthor,
    file: AgentFile,
  ): Promise<{ readonly agent: AgentRecord; readonly leftOut: readonly 'model'[] }>;
  /** Reads from memory when a run of this process has used the version recently. */
  readonly profileOf: AgentProfileOf;
}

interface AgentsParts {
  readonly storage: Pick<Storage, 'as' | 'agentVersions' | 'audit'>;
  readonly models: { list(): readonly { readonly name: string }[] };
  readonly now: () => number;
  readonly newId: () => string;
  readonly upkeep: JobTaker;
}

/** Per person. */
export const MAX_AGENTS = 50;
/** Per agent. */
export const KEPT_VERSIONS = 50;
const KEPT_DELETED = 20;
const REMEMBERED = 500;
const FORGOTTEN_AT_ONCE = 100;
/** A run waits at most 30 days until it is due. */
const FORGOTTEN_AFTER_MS = 31 * 86_400_000;
const FORGET_MS = 3_600_000;

export function createAgents(parts: AgentsParts): Agents {
  const { storage, now, upkeep } = parts;
  upkeep.add({
    name: 'deleted agents',
    everyMs: FORGET_MS,
    async pass() {
      const before = now() - FORGOTTEN_AFTER_MS;
      const limit = FORGOTTEN_AT_ONCE;
      return (await storage.agentVersions.removeDeleted({ before, limit })) === limit;
    },
  });
  const profiles = new LRUCache<string, AgentProfile>({ max: REMEMBERED });
  return {
    ...reading(parts),
    ...writing(parts),
    async profileOf(pin) {
      const key = `${pin.agentId} ${pin.version}`;
      const profile = profiles.get(key) ?? (await storage.agentVersions.get(pin));
      if (profile !== undefined) profiles.set(key, profile);
      return profile;
    },
  };
}

function reading({ storage }: AgentsParts): Pick<Agents, 'list' | 'get' | 'versions' | 'version' | 'fileOf'> {
  const versions = async (userId: string, name: string) => {
    const { agents } = storage.as(userId);
    return agents.versions((await found(agents, name)).agentId);
  };
  return {
    list: (userId) => storage.as(userId).agents.list(),
    get: (userId, name) => found(storage.as(userId).agents, name),
    versions,
    async version(userId, name, number) {
      const version = (await versions(userId, name)).find((one) => one.version === number);
      if (version === undefined) throw notFound('Version');
      return version;
    },
    fileOf: async (userId, name) => agentFile(await found(storage.as(userId).agents, name)),
  };
}

type Writing = Pick<Agents, 'create' | 'update' | 'share' | 'delete' | 'bringIn'>;

function writing(parts: AgentsParts): Writing {
  const { storage, models, now } = parts;
  const hasModel = (name: string) => models.list().some((model) => model.name === name);
  const requireModel = ({ model }: AgentDefinition) => {
    if (model === null || hasModel(model)) return;
    const known = models.list().map(({ name }) => name);
    throw validationFailed(['body', 'model'], `There is no such model. Choose from ${known.join(', ')}.`);
  };
  return {
    create(author, name, definition) {
      requireModel(definition);
      return created(parts, author, { name, definition });
    },
    async update(author, name, definition) {
      requireModel(definition);
      const { agents } = storage.as(author.userId);
      await requireOwn(agents, author, name);
      const updated = await agents.update(name, { definition, now: now(), kept: KEPT_VERSIONS });
      if (updated === undefined) throw notFound('Agent');
      if (updated.isShared) await audited(parts, author, { agent: updated, change: 'update' });
      return updated;
    },
    async share(author, name, isShared) {
      const { agents } = storage.as(author.userId);
      await requireOwn(agents, { ...author, isAdministrator: true }, name);
      if (isShared && !author.isAdministrator)
        throw new ServiceError('forbidden', 'Only administrators share agents.');
      const shared = await agents.share(name, isShared);
      if (shared === 'absent') throw notFound('Agent');
      if (shared === 'taken') throw conflict('Another administrator shares an agent of this name.');
      await audited(parts, author, { agent: shared, change: isShared ? 'share' : 'unshare' });
      return shared;
    },
    async delete(author, name) {
      const { agents } = storage.as(author.userId);
      const agent = await requireOwn(agents, { ...author, isAdministrator: true }, name);
      if (!(await agents.delete(name, { now: now(), kept: KEPT_DELETED }))) throw notFound('Agent');
      if (agent.isShared) await audited(parts, author, { agent, change: 'delete' });
    },
    async bringIn(author, file) {
      const definition = toDefinition(file.agent);
      const isKnown = definition.model === null || hasModel(definition.model);
      const agent = await created(parts, author, {
        name: file.agent.name,
        definition: isKnown ? definition : { ...definition, model: null },
      });
      return { agent, leftOut: isKnown ? [] : ['model'] };
    },
  };
}

async function created(
  { storage, now, newId }: AgentsParts,
  { userId }: AgentAuthor,
  { name, definition }: { readonly name: string; readonly definition: AgentDefinition },
): Promise<AgentRecord> {
  const agent = { agentId: newId(), name, versions: [{ ...definition, createdAt: now() }] };
  const made = await storage.as(userId).agents.create(agent, MAX_AGENTS);
  if (made === 'exists')
    throw conflict('You have an agent of this name. Change that one, or choose another name.');
  if (made === 'too_many') throw conflict(`You have ${MAX_AGENTS} agents. Delete one first.`);
  return made;
}

async function found(agents: Pick<AgentRepository, 'find'>, name: string): Promise<AgentRecord> {
  const agent = await agents.find(name);
  if (agent === undefined) throw notFound('Agent');
  return agent;
}

/** Throws for a former administrator, who must stop sharing before changing what others use. */
async function requireOwn(
  agents: Pick<AgentRepository, 'find'>,
  { isAdministrator }: AgentAuthor,
  name: string,
): Promise<AgentRecord> {
  const agent = await found(agents, name);
  if (!agent.isOwn)
    throw new ServiceError(
      'forbidden',
      'This agent is shared by an administrator, so you cannot change it. Export it, and import it under another name.',
    );
  if (agent.isShared && !isAdministrator)
    throw new ServiceError('forbidden', 'Only administrators can change a shared agent. Unshare it first.');
  return agent;
}

async function audited(
  { storage }: AgentsParts,
  { userId, clientIp }: AgentAuthor,
  { agent, change }: { readonly agent: AgentRecord; readonly change: string },
): Promise<void> {
  const details = { change, name: agent.name, version: agent.version };
  await storage.audit.append({
    act: 'agents_change',
    actor: userId,
    clientIp,
    subject: agent.agentId,
    details,
  });
}
