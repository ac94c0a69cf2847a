// Puts the agent together: its tools, its models, and what its user adds.
import type { AgentFactory } from './agent/agent.ts';
import type { AgentOptions } from './agent/agent-options.ts';
import { createLeadAgentFactory, type LeadAgentParts } from './agent/lead-agent.ts';
import { createTools } from './create-tools.ts';
import { invalid } from './errors.ts';
import type { Log } from './log.ts';
import type { ModelCatalog } from './models/catalog.ts';
import type { Model } from './models/model.ts';
import type { ConfinementOf } from './processes/confinement.ts';
import type { Tool } from './tools/tool.ts';
import type { ToolOptions } from './tools/tool-options.ts';
import type { ImageStore } from './workspace/images/image-store.ts';
import type { DiskUseOf } from './workspace/quota/disk-use.ts';
import type { ReadOnlyFolders } from './workspace/read-only/read-only-folders.ts';
import type { SandboxOptions } from './workspace/sandbox/sandbox-options.ts';
import type { UploadsFolder } from './workspace/uploads/uploads-folder.ts';
import type { WorkspaceFilesOf } from './workspace/workspace-files.ts';

interface AgentRoomParts extends Pick<LeadAgentParts, 'sources' | 'onLateTitle' | 'now' | 'newId'> {
  readonly config: {
    readonly agent: AgentOptions;
    readonly sandbox: SandboxOptions;
    readonly tools: ToolOptions;
  };
  readonly catalog: ModelCatalog;
  readonly images: ImageStore;
  readonly dataHome: string;
  readonly diskUseOf: DiskUseOf;
  readonly confinement: ConfinementOf;
  readonly workspace: WorkspaceFilesOf;
  /** Of the uploads. */
  readonly folder: UploadsFolder;
  /** What runs read beside the files of their thread. */
  readonly readOnly: ReadOnlyFolders;
  /** What becomes of the service's own tools. */
  readonly tools: (own: readonly Tool[]) => readonly Tool[];
  readonly log: Log;
}

/** Throws `invalid` with a sentence for the operator when the configuration cannot be followed. */
export async function createAgentRoom(parts: AgentRoomParts): Promise<AgentFactory> {
  const { config, catalog, images, dataHome, diskUseOf, confinement, workspace, readOnly } = parts;
  const { agent: options, sandbox, tools } = config;
  const files = { images, dataHome, diskUseOf, confinement, workspace, readOnly };
  return createLeadAgentFactory({
    models: catalog,
    tools: parts.tools(await createTools({ ...files, sandbox, tools })),
    sources: parts.sources,
    uploads: parts.folder,
    images,
    options,
    summaryModel: namedModel(catalog, 'compaction.model', options.compaction.model),
    titleModel: namedModel(catalog, 'title_model', options.title_model),
    onLateTitle: parts.onLateTitle,
    log: parts.log,
    now: parts.now,
    newId: parts.newId,
  });
}

/** The model that an option of the agent names. */
function namedModel(catalog: ModelCatalog, option: string, name: string | undefined): Model | undefined {
  if (name === undefined) return undefined;
  const model = catalog.get(name);
  if (model === undefined) throw invalid(`agent.${option}: there is no model named '${name}'.`);
  return model;
}
