// The tool that runs commands in the thread's sandbox: bash.
import { z } from 'zod';
import type { OutputStream, ProcessOutcome, StopCause } from '../processes/outcome.ts';
import type { DiskUse, DiskUseOf } from '../workspace/quota/disk-use.ts';
import { NO_SPACE } from '../workspace/quota/space.ts';
import type { Sandbox } from '../workspace/sandbox/sandbox.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { CommandOutput, outputProgress } from './command-output.ts';
import { keepOutput, whereItIs } from './kept-output.ts';
import {
  defineTool,
  failure,
  reason,
  result,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from './tool.ts';

/** In UTF-8. The system takes no argument longer than 128 KiB. */
const MAX_SCRIPT_BYTES = 100_000;
const MAX_SHOWN_CHARACTERS = 20_000;

export interface BashToolParts {
  readonly sandbox: Sandbox;
  readonly diskUseOf: DiskUseOf;
  readonly filesFor: (context: ToolContext) => WorkspaceFiles;
}

/**
 * Runs a script and shows the model its output and how it ended. Output is sent as `custom` progress while
 * the script runs. Output that is too long for the model is saved in a file of the thread.
 */
export function createBashTool({ sandbox, diskUseOf, filesFor }: BashToolParts): Tool {
  return defineTool({
    name: 'bash',
    description: DESCRIPTIONS[sandbox.kind],
    input: z.object({
      description: reason,
      command: z
        .string()
        .min(1)
        .max(MAX_SCRIPT_BYTES)
        .refine(isShort, `Is longer than ${MAX_SCRIPT_BYTES} bytes: write it to a file and run the file`)
        .describe('The bash script to run'),
    }),
    // The effects of a script are unknown.
    effect: 'once',
    async run({ command: script }, context) {
      const { userId, threadId, signal, callId, maxCharacters, emit } = context;
      const said = { stdout: new CommandOutput(), stderr: new CommandOutput() };
      const progress = outputProgress(callId, emit);
      const onOutput = (stream: OutputStream, text: string): void => {
        said[stream].add(text);
        progress.add(stream, text);
      };
      const place = { userId, threadId };
      const outcome = await sandbox.run({ place, script, signal, onOutput });
      progress.end();
      const diskUse = diskUseOf(place);
      diskUse.changed();
      return responseOf(outcome, said, { files: filesFor(context), diskUse, callId, maxCharacters });
    },
  });
}

function isShort(script: string): boolean {
  return Buffer.byteLength(script) <= MAX_SCRIPT_BYTES;
}

const COMMON =
  'Runs a bash script. It starts in /mnt/user-data/workspace and sees the files under /mnt/user-data. ' +
  'It gets no input, and all its processes end with it.';

const DESCRIPTIONS: Readonly<Record<Sandbox['kind'], string>> = {
  bubblewrap: `${COMMON} It runs in a sandbox: only /mnt/user-data and /tmp can be written to.`,
  container: `${COMMON} It runs in a container: only /mnt/user-data and /tmp can be written to.`,
  virtual: `${COMMON} The shell is a small one: the usual text, file and data commands (awk, sed, grep, find, jq, sqlite3, tar), no installed programs.`,
  host: `${COMMON} It runs on the machine itself; be careful.`,
};

interface Said {
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
}

interface Keeping {
  readonly files: WorkspaceFiles;
  readonly diskUse: DiskUse;
  readonly callId: string;
  /** Characters that the result may have. */
  readonly maxCharacters: number;
}

async function responseOf(outcome: ProcessOutcome, said: Said, keeping: Keeping): Promise<ToolOutcome> {
  if (outcome.kind === 'failed') return failure(`Error: ${outcome.message}`);
  const { stdout, stderr } = said;
  // Error output is shown, however long the other output is.
  const ofErrors = Math.min(MAX_SHOWN_CHARACTERS, stderr.length, Math.ceil(keeping.maxCharacters / 2));
  const ofOutput = Math.min(MAX_SHOWN_CHARACTERS, keeping.maxCharacters - ofErrors);
  const parts = [stdout.short(ofOutput).trimEnd()];
  const complaints = stderr.short(ofErrors).trimEnd();
  if (complaints !== '') parts.push(`Std Error:\n${complaints}`);
  const isLong = stdout.length > ofOutput || stderr.length > ofErrors;
  if (isLong) {
    const text = stderr.length === 0 ? stdout.text : `${stdout.text}\nStd Error:\n${stderr.text}`;
    const output = { tool: 'bash', callId: keeping.callId, extension: 'log', text };
    parts.push(whereItIs(await keepOutput(keeping.files, output)));
  }
  const ending = endingOf(outcome);
  if (ending !== undefined) parts.push(ending);
  parts.push(await tooMuch(keeping.diskUse));
  const text = parts.filter(Boolean).join('\n');
  return outcome.kind === 'stopped' ? failure(text) : result(text === '' ? '(no output)' : text);
}

function endingOf(outcome: Exclude<ProcessOutcome, { kind: 'failed' }>): string | undefined {
  switch (outcome.kind) {
    case 'exited':
      return outcome.code === 0 ? undefined : `Exit Code: ${outcome.code}`;
    case 'signalled':
      return `Exit Code: killed by ${outcome.signal}, for instance at a limit of CPU time or file size`;
    case 'stopped':
      return `Error: ${STOPS[outcome.cause]}`;
  }
}

const STOPS: Readonly<Record<StopCause, string>> = {
  timeout: 'The command took too long and was killed. Do it in smaller steps.',
  cancelled: 'The command was cancelled.',
  output: 'The command printed too much and was killed. Write its output to a file, or filter it.',
  memory: 'The command used too much memory and was killed. Work on smaller pieces.',
  processes: 'The command started too many processes and was killed.',
  quota:
    'The command was killed because the files exceed the quota of the thread or the person. Remove files that are not needed.',
  disk: 'The command was killed because the disk is nearly full. Remove files that are not needed, or tell the person.',
};

/** Returns a sentence when the thread or the person now has more than is allowed, else `''`. */
async function tooMuch(diskUse: DiskUse): Promise<string> {
  const capacity = await diskUse.capacity(NO_SPACE).catch(() => undefined);
  const full = [capacity?.bytes, capacity?.entries].find((it) => it !== undefined && it.left < 0);
  return full === undefined ? '' : `Note: ${full.refusal().detail} Until then nothing more can be written.`;
}
