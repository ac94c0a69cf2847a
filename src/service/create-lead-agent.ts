// Creates the lead agent of a service: its tools, its models, and the user's extensions.
import type { AgentFactory } from '../agent/agent.ts';
import { createLeadAgentFactory } from '../agent/lead-agent.ts';
import type { LeadAgentParts } from '../agent/run-parts.ts';
import { type ModelCatalog, namedModel } from '../models/catalog.ts';
import { createTools } from '../tools/create-tools.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workspace } from '../workspace/create-workspace.ts';
import type { Extensions } from './extensions.ts';
import type { Ground } from './ground.ts';

interface LeadAgentWiring {
  readonly ground: Ground;
  readonly catalog: ModelCatalog;
  readonly workspace: Workspace;
  readonly extensions: Pick<Extensions, 'skills' | 'customAgents' | 'sources'>;
  readonly onLateTitle: LeadAgentParts['onLateTitle'];
  /** Returns the tools to use, given the service's own. */
  readonly toolsOf: (own: readonly Tool[]) => readonly Tool[];
}

/** Throws `invalid` with a sentence for the operator when the configuration cannot be applied. */
export async function createLeadAgent(parts: LeadAgentWiring): Promise<AgentFactory> {
  const { catalog, workspace, extensions, onLateTitle } = parts;
  const { config, dataHome, storage, confinement, log, now, newId } = parts.ground;
  const { files, diskUseOf, images } = workspace;
  const { agent: options, sandbox, tools } = config;
  for (const [name, { model }] of Object.entries(options.subagents.types))
    namedModel(catalog, `subagents.types.${name}.model`, model);
  const readOnly = extensions.skills.folders;
  const own = await createTools({
    files,
    diskUseOf,
    confinement,
    images,
    dataHome,
    readOnly,
    sandbox,
    tools,
  });
  return createLeadAgentFactory({
    models: catalog,
    tools: parts.toolsOf(own),
    sources: extensions.sources,
    profileOf: extensions.customAgents.profileOf,
    uploads: workspace.uploadsFolder,
    images,
    options,
    summaryModel: namedModel(catalog, 'compaction.model', options.compaction.model),
    goalModel: namedModel(catalog, 'goal_model', options.goal_model),
    async isAwaited({ userId, threadId }) {
      const { runs } = storage.as(userId).ahead;
      const waiting = await runs.list(threadId, { status: 'pending', limit: 10, offset: 0 });
      // Runs scheduled for later do not wait for the end of another one.
      return waiting.some(({ startAfter }) => startAfter === null || startAfter <= now());
    },
    openTasks: ({ userId, threadId }) => storage.as(userId).ahead.backgroundTasks.openIds(threadId),
    titleModel: namedModel(catalog, 'title_model', options.title_model),
    onLateTitle,
    log,
    now,
    newId,
  });
}
