// The tool that hands results to the person: present_files.
import { z } from 'zod';
import { parseFilePath } from '../workspace/paths.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { defineTool, failure, result, type Tool, type ToolContext } from './tool.ts';

const OUTPUTS = '/mnt/user-data/outputs';
const MAX_PRESENTED = 100;

/** Adds the files to the field `artifacts` of the state, all of them or none. */
export function createPresentFilesTool(filesFor: (context: ToolContext) => WorkspaceFiles): Tool {
  return defineTool({
    name: 'present_files',
    description:
      'Shows finished files to the person. Only files under /mnt/user-data/outputs: write or move them there first. ' +
      'Call it when a result is done, with all its files, but not for files that only you need.',
    input: z.object({
      filepaths: z
        .array(z.string().min(1))
        .min(1)
        .max(MAX_PRESENTED)
        .describe('Absolute paths of the files, like /mnt/user-data/outputs/report.md'),
    }),
    // Only the state changes, and a file that is presented twice is listed once.
    effect: 'read',
    run: async ({ filepaths }, context) => {
      const paths = [...new Set(filepaths.map((path) => parseFilePath(path).text))];
      const elsewhere = paths.find((path) => !path.startsWith(`${OUTPUTS}/`));
      if (elsewhere !== undefined) return failure(notInOutputs(elsewhere));
      const files = filesFor(context);
      await Promise.all(paths.map((path) => files.sizeOf(path)));
      return result('Successfully presented files', { artifacts: paths });
    },
  });
}

function notInOutputs(path: string): string {
  return `Error: ${path} is not under ${OUTPUTS}. Move or write it there, and present it then; nothing was presented.`;
}
