// Creates the service's own tools.
import { createFairShare } from '../fair-share/fair-share.ts';
import { fairShareLimits } from '../fair-share/fair-share-options.ts';
import type { ConfinementOf } from '../processes/confinement.ts';
import type { ImageStore } from '../workspace/images/image-store.ts';
import type { DiskUseOf } from '../workspace/quota/disk-use.ts';
import type { ReadOnlyFolders } from '../workspace/read-only/read-only-folders.ts';
import { withReadOnlyFolders } from '../workspace/read-only/with-read-only-folders.ts';
import { chooseSandbox, sharedSandbox } from '../workspace/sandbox/choose-sandbox.ts';
import type { SandboxOptions } from '../workspace/sandbox/sandbox-options.ts';
import { createWorkspaceSearch } from '../workspace/search/workspace-search.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { createAskClarificationTool } from './ask-clarification.ts';
import { createBashTool } from './bash-tool.ts';
import { createFileTools } from './file-tools.ts';
import { keepingOutput } from './kept-output.ts';
import { createPresentFilesTool } from './present-files.ts';
import { createSearchTools } from './search-tools.ts';
import type { Tool } from './tool.ts';
import type { ToolOptions } from './tool-options.ts';
import { createViewImageTool } from './view-image.ts';
import { createWebFetchTool } from './web-fetch.ts';
import { createWebSearchTool } from './web-search.ts';

interface ToolParts {
  readonly files: WorkspaceFilesOf;
  readonly diskUseOf: DiskUseOf;
  readonly confinement: ConfinementOf;
  readonly images: ImageStore;
  readonly dataHome: string;
  /** Folders that runs read besides the files of their thread. */
  readonly readOnly: ReadOnlyFolders;
  readonly sandbox: SandboxOptions;
  readonly tools: ToolOptions;
}

/** Tools that shorten their results themselves, and say where the rest is. */
const BOUNDED: ReadonlySet<string> = new Set(['bash', 'read_file', 'web_fetch']);
/** How long a call waits for a place: a few times as long as one takes, unless many are configured. */
const WAIT_FOR_COMMAND_MS = 1_800_000;
const WAIT_FOR_PROCESS_MS = 120_000;

/** Returns the tools in the order shown to models. Throws a sentence for the operator without a sandbox. */
export async function createTools(parts: ToolParts): Promise<readonly Tool[]> {
  const { files, diskUseOf, confinement, images, dataHome, readOnly, tools: options } = parts;
  const sandbox = await chooseSandbox({ dataHome, diskUseOf, readOnly, confinement, options: parts.sandbox });
  const commands = createFairShare(fairShareLimits(parts.sandbox.commands, WAIT_FOR_COMMAND_MS));
  const places = createFairShare(fairShareLimits(options.processes, WAIT_FOR_PROCESS_MS));
  const webSearch = createWebSearchTool(options.web_search);
  const own = [
    ...(sandbox === undefined
      ? []
      : [createBashTool({ sandbox: sharedSandbox(sandbox, commands), diskUseOf, filesFor: files })]),
    ...createFileTools({
      filesFor: (context) =>
        withReadOnlyFolders(files(context, context.knownFiles), readOnly, context.userId),
      images,
    }),
    ...createSearchTools(createWorkspaceSearch({ dataHome, places, readOnly })),
    ...(options.web_fetch.enabled
      ? [createWebFetchTool({ filesFor: files, allowHosts: options.web_fetch.allow_hosts, places })]
      : []),
    ...(webSearch === undefined ? [] : [webSearch]),
    createViewImageTool(images),
    createPresentFilesTool(files),
    createAskClarificationTool(),
  ];
  return own.map((tool) => (BOUNDED.has(tool.name) ? tool : keepingOutput(tool, { filesFor: files })));
}
