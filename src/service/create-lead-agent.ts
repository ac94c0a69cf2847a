// Puts the agent together: its tools, its models, and what its user adds.
import type { AgentFactory } from '../agent/agent.ts';
import type { AgentOptions } from '../agent/agent-options.ts';
import { createLeadAgentFactory } from '../agent/lead-agent.ts';
import type { LeadAgentParts } from '../agent/run-parts.ts';
import type { Log } from '../log.ts';
import { type ModelCatalog, namedModel } from '../models/catalog.ts';
import type { ConfinementOf } from '../processes/confinement.ts';
import type { Storage } from '../storage/storage.ts';
import { createTools } from '../tools/create-tools.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolOptions } from '../tools/tool-options.ts';
import type { ImageStore } from '../workspace/images/image-store.ts';
import type { DiskUseOf } from '../workspace/quota/disk-use.ts';
import type { ReadOnlyFolders } from '../workspace/read-only/read-only-folders.ts';
import type { SandboxOptions } from '../workspace/sandbox/sandbox-options.ts';
import type { UploadsFolder } from '../workspace/uploads/uploads-folder.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';

interface AgentRoomParts
  extends Pick<LeadAgentParts, 'sources' | 'profileOf' | 'onLateTitle' | 'now' | 'newId'> {
  readonly config: {
    readonly agent: AgentOptions;
    readonly sandbox: SandboxOptions;
    readonly tools: ToolOptions;
  };
  readonly storage: Pick<Storage, 'as'>;
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
  for (const [name, { model }] of Object.entries(options.subagents.types))
    namedModel(catalog, `subagents.types.${name}.model`, model);
  const files = { images, dataHome, diskUseOf, confinement, workspace, readOnly };
  return createLeadAgentFactory({
    models: catalog,
    tools: parts.tools(await createTools({ ...files, sandbox, tools })),
    sources: parts.sources,
    ...(parts.profileOf === undefined ? {} : { profileOf: parts.profileOf }),
    uploads: parts.folder,
    images,
    options,
    summaryModel: namedModel(catalog, 'compaction.model', options.compaction.model),
    goalModel: namedModel(catalog, 'goal_model', options.goal_model),
    isAwaited: ({ userId, threadId }) => hasWaitingRun(parts, userId, threadId),
    openTasks: ({ userId, threadId }) => parts.storage.as(userId).ahead.backgroundTasks.openIds(threadId),
    titleModel: namedModel(catalog, 'title_model', options.title_model),
    onLateTitle: parts.onLateTitle,
    log: parts.log,
    now: parts.now,
    newId: parts.newId,
  });
}

/** Runs that are to start later do not wait for the end of another one. */
async function hasWaitingRun(
  { storage, now }: Pick<AgentRoomParts, 'storage' | 'now'>,
  userId: string,
  threadId: string,
): Promise<boolean> {
  const { runs } = storage.as(userId).ahead;
  const waiting = await runs.list(threadId, { status: 'pending', limit: 10, offset: 0 });
  return waiting.some(({ startAfter }) => startAfter === null || startAfter <= now());
}
