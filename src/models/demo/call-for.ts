// The first step of a request that needs tools: which tools to call, with which arguments.
import type { ToolResult } from './conversation.ts';
import type { Intent } from './intent.ts';
import { callTools, type DemoCall, type DemoReply, shortened } from './reply.ts';
import { reportFiles } from './report.ts';

const DESCRIPTION_CHARACTERS = 80;

/** Returns the calls that the intent needs; `undefined` for an intent that needs only words. */
export function callFor(intent: Intent): DemoReply | undefined {
  switch (intent.kind) {
    case 'delegate':
      return callTools(
        intent.tasks.length === 1
          ? 'I will hand that to a sub-agent.'
          : `I will hand this to ${intent.tasks.length} sub-agents, which work at the same time.`,
        ...intent.tasks.map(taskCall),
      );
    case 'list':
      return callTools(
        'I will look at the files.',
        call('ls', 'See which files there are', { path: intent.path }),
      );
    case 'read':
      return callTools(
        intent.paths.length === 1
          ? 'I will read the file.'
          : `I will read these ${intent.paths.length} files.`,
        ...intent.paths.map((path) => readCall(path, 'Show it')),
      );
    case 'summarise_file':
      return callTools('I will read the file first.', readCall(intent.path, 'Read it for the summary'));
    case 'write':
      return callTools(
        intent.append ? 'I will add that to the file.' : 'I will write the file.',
        call('write_file', 'Write what was asked for', {
          path: intent.path,
          content: intent.content,
          ...(intent.append && { append: true }),
        }),
      );
    case 'run':
      return callTools(
        'I will run that.',
        call('bash', 'Run what was asked for', { command: intent.command }),
      );
    case 'use':
      return callTools('I will use that tool.', { name: intent.tool, args: intent.args });
    case 'report':
      return callTools(
        'I will write the report, its numbers and a picture of them.',
        ...reportFiles(intent.about).map(({ path, content }) =>
          call('write_file', 'Part of the report', { path, content }),
        ),
      );
    case 'replace':
      return callTools('I will change the file.', readCall(intent.path, 'Read it before it is changed'));
    case 'ask_content':
      return callTools('', askCall(`What should I write into ${intent.path}?`, []));
    case 'ask':
      return callTools('', askCall(intent.question, intent.options));
    default:
      return undefined;
  }
}

/** Returns the call after these results, as the change of a file that was read; `undefined` without one. */
export function callAfter(intent: Intent, results: readonly ToolResult[]): DemoReply | undefined {
  const [read] = results;
  if (intent.kind === 'replace' && results.length === 1 && read?.failed === false)
    return callTools(
      '',
      call('str_replace', 'Change the text that was named', {
        path: intent.path,
        old_str: intent.from,
        new_str: intent.to,
      }),
    );
  const paths = writtenPaths(intent).filter((path) => path.startsWith('/mnt/user-data/outputs/'));
  const isWritten = results.every(({ tool, failed }) => tool === 'write_file' && !failed);
  if (paths.length === 0 || !isWritten) return undefined;
  return callTools('', { name: 'present_files', args: { filepaths: paths } });
}

function writtenPaths(intent: Intent): readonly string[] {
  if (intent.kind === 'report') return reportFiles(intent.about).map(({ path }) => path);
  return intent.kind === 'write' ? [intent.path] : [];
}

function call(name: string, description: string, args: DemoCall['args']): DemoCall {
  return { name, args: { description, ...args } };
}

function taskCall(prompt: string): DemoCall {
  const description = shortened(prompt, DESCRIPTION_CHARACTERS);
  return call('task', description, { prompt, subagent_type: 'general-purpose' });
}

function readCall(path: string, why: string): DemoCall {
  return call('read_file', why, { path });
}

function askCall(question: string, options: readonly string[]): DemoCall {
  const kind = options.length > 1 ? 'approach_choice' : 'missing_info';
  const choices = options.length > 1 ? { options } : {};
  return { name: 'ask_clarification', args: { question, clarification_type: kind, ...choices } };
}
