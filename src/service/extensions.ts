// Creates the parts with which users extend the agent: skills, tool servers, custom agents and memory.
import { createMcpSource } from '../agent/sources/mcp-source.ts';
import { createMemorySource } from '../agent/sources/memory-source.ts';
import { createSkillSource } from '../agent/sources/skill-source.ts';
import type { ToolSource } from '../agent/tool-source.ts';
import { createAgents } from '../agents/agents.ts';
import type { Environment } from '../mcp/config/variable-references.ts';
import { createToolServers, type ToolServers } from '../mcp/create-tool-servers.ts';
import { createMemory, type Memories } from '../memory/create-memory.ts';
import { type ModelCatalog, namedModel } from '../models/catalog.ts';
import { KEY_VARIABLES } from '../models/discover-models.ts';
import { createSkills } from '../skills/skills.ts';
import { OWN_TOOL_NAMES } from '../tools/own-tool-names.ts';
import { createSkillManageTool } from '../tools/skill-manage.ts';
import type { Workspace } from '../workspace/create-workspace.ts';
import type { Usage } from './create-usage.ts';
import { createFactReader, isMemoryOff } from './fact-reader.ts';
import type { Ground } from './ground.ts';

interface ExtensionParts {
  readonly ground: Ground;
  readonly catalog: ModelCatalog;
  readonly workspace: Pick<Workspace, 'files' | 'diskUseOfUser'>;
  readonly usage: Pick<Usage, 'service' | 'lateCalls'>;
  /** Derives a key of the service for one purpose. */
  readonly keyFor: (purpose: string) => Buffer;
  /** The variables to which `$NAME` refers in the configuration of tool servers. */
  readonly environment: Environment;
}

/** Throws `invalid` with a sentence for the operator when the configuration names an unknown model. */
export function createExtensions(parts: ExtensionParts) {
  const { ground, catalog, workspace } = parts;
  const { config, storage, dataHome, upkeep, log, now, newId } = ground;
  const skills = createSkills({
    dataHome,
    publicFolder: config.skills.public_folder,
    diskUseOfUser: workspace.diskUseOfUser,
    options: config.skills,
    storage,
    log,
    now,
    newId,
  });
  const manageTools = config.skills.manage_tool ? [createSkillManageTool(skills.editor)] : [];
  const toolServers = toolServersOf(parts);
  const memory = memoryOf(parts);
  return {
    skills,
    toolServers,
    customAgents: createAgents({ storage, models: catalog, now, newId, upkeep }),
    memory,
    /** The sources that these parts add to runs. */
    sources: [
      createSkillSource({ skillsOf: skills.enabledOf, folders: skills.folders, tools: manageTools, log }),
      createMcpSource({ forRun: toolServers.forRun, filesFor: workspace.files }),
      memorySourceOf(ground, memory),
    ],
  };
}

export type Extensions = ReturnType<typeof createExtensions>;

function toolServersOf({ ground, keyFor, environment }: ExtensionParts): ToolServers {
  const { config, dataHome, hidden, confinement, upkeep, log, now } = ground;
  return createToolServers({
    options: config.mcp,
    dataHome,
    environment,
    ownVariables: [...config.variables, ...KEY_VARIABLES],
    key: keyFor('sign-ins to tool servers'),
    takenNames: OWN_TOOL_NAMES,
    path: config.sandbox.path,
    hidden,
    confinement,
    now,
    log,
    upkeep,
  });
}

function memoryOf({ ground, catalog, usage: { service: usage, lateCalls } }: ExtensionParts): Memories {
  const { config, storage, states, exclusive, upkeep, log, now, newId } = ground;
  const { memory: options } = config;
  const model = namedModel(catalog, 'memory.extraction.model', options.extraction.model);
  const reader = createFactReader({ model, storage, states, catalog, usage, lateCalls, log, now, newId });
  return createMemory({ options, storage, reader, exclusive, upkeep, log, now, newId });
}

function memorySourceOf({ config, storage }: Ground, { known, extraction }: Memories): ToolSource {
  const { memory: options } = config;
  const learns = options.enabled && options.extraction.enabled;
  return createMemorySource({
    factsOf: known.factsOf,
    isOffOn: async (userId, threadId) => isMemoryOff(storage.as(userId).ahead, threadId),
    budget: options.enabled ? options.max_prompt_tokens : 0,
    onReplied: learns ? extraction.heard : undefined,
  });
}
