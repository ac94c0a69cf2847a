// Turns a tool of a tool server into a tool of the agent.

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import mime from 'mime';
import type { Elicitation, ElicitationAnswer, Progress } from '../mcp/connections/connection.ts';
import type { McpTool } from '../mcp/mcp-tool.ts';
import type { CallResult, ResultPart } from '../mcp/results/result-parts.ts';
import { ServerFailure } from '../mcp/server-failure.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { formOf } from './elicitation-form.ts';
import { elicitationRequest, readElicitationAnswer } from './elicitation-question.ts';
import { keepingOutput, keptPath } from './kept-output.ts';
import { failure, result, type Tool, type ToolContext, type ToolOutcome } from './tool.ts';

/** The server checks the arguments. Images, sounds and other files of a result are saved in the thread. */
export function toolOfServer(tool: McpTool, filesFor: WorkspaceFilesOf): Tool {
  const { server, name, description, inputSchema, effect } = tool;
  const own: Tool = {
    name,
    description,
    inputSchema,
    effect,
    parse: (args) => ({
      ok: true,
      run: (context) =>
        namedServer(filesFor, { context, tool: name }, () =>
          tool.call(args, {
            signal: context.signal,
            onProgress: progressOf(context),
            elicit: (asked) => askPerson(server, asked, context),
          }),
        ),
    }),
  };
  return keepingOutput(own, { filesFor });
}

interface CallOf {
  readonly context: ToolContext;
  readonly tool: string;
}

/** Returns a server's response as a tool's outcome. Its failure is an error that the model reads. */
export async function namedServer(
  filesFor: WorkspaceFilesOf,
  call: CallOf,
  work: () => Promise<CallResult>,
): Promise<ToolOutcome> {
  try {
    const { parts, notes, isError } = await work();
    const texts: string[] = [];
    for (const [index, part] of parts.entries()) texts.push(await shown(filesFor, { ...call, part, index }));
    const text = [...texts, ...notes].join('\n\n');
    if (isError) return failure(`Error: ${text === '' ? 'the tool failed without giving a reason.' : text}`);
    return result(text === '' ? '(The tool returned nothing.)' : text);
  } catch (error) {
    if (error instanceof ServerFailure) return failure(`Error: ${error.message}`);
    throw error;
  }
}

async function shown(
  filesFor: WorkspaceFilesOf,
  { part, ...place }: CallOf & { readonly part: ResultPart; readonly index: number },
): Promise<string> {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'link':
      return [`${part.name} <${part.uri}>`, part.description].filter((it) => it !== '').join(': ');
    case 'file':
      return keptFile(filesFor, { ...place, ...part });
  }
}

/** Writes the part to a file that is the same for the same call. */
async function keptFile(
  filesFor: WorkspaceFilesOf,
  file: CallOf & { readonly index: number; readonly mimeType: string; readonly bytes: Buffer },
): Promise<string> {
  const { context, tool, index, bytes } = file;
  const mimeType = file.mimeType.slice(0, 100);
  const path = keptPath(tool, `${context.callId} ${index}`, mime.getExtension(mimeType) ?? 'bin');
  const what = `${mimeType}, ${bytes.length} bytes`;
  try {
    await filesFor(context).writeBytes(path, Readable.from([bytes]));
  } catch {
    return `(A file, ${what}: there was no space to keep it.)`;
  }
  const hint = mimeType.startsWith('image/') && context.seesImages ? ' Look at it with view_image.' : '';
  return `(A file, ${what}, is in ${path}.${hint})`;
}

/** The interval of the events: people read no faster. */
const INTERVAL_MS = 150;
const MAX_REPORTED = 500;
const MAX_MESSAGE = 500;

/** Reports few `tool_progress` events `{tool_call_id, progress, total, message}`, however many come. */
function progressOf({ callId, emit }: ToolContext): (progress: Progress) => void {
  let last = Number.NEGATIVE_INFINITY;
  let reported = 0;
  return ({ progress, total, message }) => {
    const now = performance.now();
    if (now - last < INTERVAL_MS || reported >= MAX_REPORTED) return;
    last = now;
    reported++;
    emit({
      type: 'tool_progress',
      tool_call_id: callId,
      progress,
      total: total ?? null,
      message: message?.slice(0, MAX_MESSAGE) ?? null,
    });
  };
}

/** Asks until the answer is valid. An answered question is not asked again. Throws `ServerFailure`. */
function askPerson(
  server: string,
  asked: Elicitation,
  { callId, interrupt }: ToolContext,
): ElicitationAnswer {
  const form = formOf(server, asked);
  if (form === undefined)
    throw new ServerFailure('refused', `The tool server '${server}' asked for a form that cannot be shown.`);
  // The call starts over with the answer: consent to one call is not consent to another.
  const about = createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 12);
  for (let problem: string | undefined; ; ) {
    const answer = interrupt(elicitationRequest(form, { callId, problem }), about);
    const read = readElicitationAnswer(answer, form);
    if (read.ok) return read.answer;
    problem = read.problem;
  }
}
