// Results that are too long for a prompt: saved in a file of the thread, where the model can read on.
import { createHash } from 'node:crypto';
import { textOf } from '../messages/message.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';

interface OutputToKeep {
  readonly tool: string;
  readonly callId: string;
  readonly extension: string;
  readonly text: string;
}

/** Writes to the same file for the same call. Returns its path, or `undefined` when that failed. */
export async function keepOutput(
  files: WorkspaceFiles,
  { tool, callId, extension, text }: OutputToKeep,
): Promise<string | undefined> {
  const path = keptPath(tool, callId, extension);
  try {
    await files.writeText(path, text, 'replace');
    return path;
  } catch {
    return undefined;
  }
}

/** Returns the same path for the same key, such as the id of a call. */
export function keptPath(tool: string, key: string, extension: string): string {
  const name = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return `/mnt/user-data/outputs/.tool-results/${tool}-${name}.${extension}`;
}

interface KeepingParts {
  readonly filesFor: (context: ToolContext) => WorkspaceFiles;
  /** The most characters of a result that a model is shown. */
  readonly maxCharacters?: number;
}

const MAX_SHOWN_CHARACTERS = 20_000;

/** Wraps a tool. Of a long output, the model is shown the beginning, the end, and where the whole is. */
export function keepingOutput(
  tool: Tool,
  { filesFor, maxCharacters = MAX_SHOWN_CHARACTERS }: KeepingParts,
): Tool {
  const run = async (work: (context: ToolContext) => Promise<ToolOutcome>, context: ToolContext) => {
    const outcome = await work(context);
    if (outcome.kind === 'question') return outcome;
    const text = outcome.kind === 'failure' ? outcome.message : textOf(outcome.content);
    const most = Math.min(maxCharacters, context.maxCharacters);
    if (text.length <= most) return outcome;
    const output = { tool: tool.name, callId: context.callId, extension: 'txt', text };
    const path = await keepOutput(filesFor(context), output);
    return withText(outcome, `${shortened(text, most)}\n${whereItIs(path)}`);
  };
  return {
    ...tool,
    parse: (args) => {
      const parsed = tool.parse(args);
      return parsed.ok ? { ok: true, run: (context) => run(parsed.run, context) } : parsed;
    },
  };
}

function withText(outcome: Exclude<ToolOutcome, { kind: 'question' }>, text: string): ToolOutcome {
  if (outcome.kind === 'failure') return { ...outcome, message: text };
  if (typeof outcome.content === 'string') return { ...outcome, content: text };
  const others = outcome.content.filter(({ type }) => type !== 'text');
  return { ...outcome, content: [{ type: 'text', text }, ...others] };
}

function shortened(text: string, most: number): string {
  const tail = Math.floor(most / 4);
  const skipped = `... [middle truncated: ${text.length - most} chars skipped] ...`;
  return `${text.slice(0, most - tail).toWellFormed()}\n${skipped}\n${text.slice(-tail).toWellFormed()}`;
}

/** Returns a sentence that names the file with the whole output, or says why there is none. */
export function whereItIs(path: string | undefined): string {
  return path === undefined
    ? '(The output is long, and there was no space to keep it in a file.)'
    : `(The output is long; all that was kept of it is in ${path}. Read it with read_file, or search it.)`;
}
