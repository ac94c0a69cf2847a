// Results that are too long for a prompt: saved in a file of the thread, where the model can read on.
import { createHash } from 'node:crypto';
import { textOf } from '../messages/message.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';

export interface OutputToKeep {
  readonly tool: string;
  readonly callId: string;
  readonly extension: 'log' | 'md' | 'txt';
  readonly text: string;
}

/** Writes to the same file for the same call. Returns its path, or `undefined` when that failed. */
export async function keepOutput(
  files: WorkspaceFiles,
  { tool, callId, extension, text }: OutputToKeep,
): Promise<string | undefined> {
  const name = createHash('sha256').update(callId).digest('hex').slice(0, 12);
  const path = `/mnt/user-data/outputs/.tool-results/${tool}-${name}.${extension}`;
  try {
    await files.writeText(path, text, 'replace');
    return path;
  } catch {
    return undefined;
  }
}

interface KeepingParts {
  readonly filesFor: (context: ToolContext) => WorkspaceFiles;
  /** The most characters of a result that a model is shown. */
  readonly maxCharacters: number;
}

/** Wraps a tool. Of a long output, the model is shown the beginning, the end, and where the whole is. */
export function keepingOutput(tool: Tool, parts: KeepingParts): Tool {
  return {
    ...tool,
    parse: (args) => {
      const parsed = tool.parse(args);
      if (!parsed.ok) return parsed;
      return {
        ok: true,
        run: async (context) => {
          const maxCharacters = Math.min(parts.maxCharacters, context.maxCharacters);
          return kept(await parsed.run(context), tool.name, {
            filesFor: parts.filesFor,
            maxCharacters,
            context,
          });
        },
      };
    },
  };
}

async function kept(
  outcome: ToolOutcome,
  tool: string,
  parts: KeepingParts & { readonly context: ToolContext },
): Promise<ToolOutcome> {
  switch (outcome.kind) {
    case 'result': {
      const text = textOf(outcome.content);
      if (text.length <= parts.maxCharacters) return outcome;
      const short = await shortened(text, tool, parts);
      if (typeof outcome.content === 'string') return { ...outcome, content: short };
      const others = outcome.content.filter(({ type }) => type !== 'text');
      return { ...outcome, content: [{ type: 'text', text: short }, ...others] };
    }
    case 'failure': {
      const { message } = outcome;
      return message.length <= parts.maxCharacters
        ? outcome
        : { ...outcome, message: await shortened(message, tool, parts) };
    }
    case 'question':
      return outcome;
  }
}

async function shortened(
  text: string,
  tool: string,
  { filesFor, maxCharacters, context }: KeepingParts & { readonly context: ToolContext },
): Promise<string> {
  const path = await keepOutput(filesFor(context), { tool, callId: context.callId, extension: 'txt', text });
  const tail = Math.floor(maxCharacters / 4);
  const head = maxCharacters - tail;
  const skipped = `... [middle truncated: ${text.length - maxCharacters} chars skipped] ...`;
  const shown = `${text.slice(0, head).toWellFormed()}\n${skipped}\n${text.slice(-tail).toWellFormed()}`;
  return `${shown}\n${whereItIs(path)}`;
}

/** Returns a sentence that names the file with the whole output, or says why there is none. */
export function whereItIs(path: string | undefined): string {
  return path === undefined
    ? '(The output is long, and there was no space to keep it in a file.)'
    : `(The output is long; all that was kept of it is in ${path}. Read it with read_file, or search it.)`;
}
