// The second step of a request: words about the results of the tools.
import type { ToolResult } from './conversation.ts';
import type { Intent } from './intent.ts';
import { codeBlock, quote, shortened } from './reply.ts';
import { summarise } from './summarise.ts';

const HEADING_CHARACTERS = 80;
const LANGUAGES: Readonly<Record<string, string>> = {
  css: 'css',
  csv: 'csv',
  html: 'html',
  js: 'js',
  json: 'json',
  md: 'markdown',
  py: 'python',
  sh: 'bash',
  sql: 'sql',
  ts: 'ts',
  yaml: 'yaml',
  yml: 'yaml',
};

/** Returns Markdown about the results of this turn, in the order of the calls. */
export function replyToResults(intent: Intent, results: readonly ToolResult[]): string {
  if (intent.kind === 'delegate') return putTogether(intent.tasks, results);
  if (intent.kind === 'report') return reported(results);
  return results
    .filter(({ tool, failed: isFailed }) => isFailed || !isOnTheWay(intent, tool))
    .map((result, index) => replyToOne(intent, result, index))
    .join('\n\n');
}

/** Whether there is nothing to say about the call. */
function isOnTheWay(intent: Intent, tool: string): boolean {
  return tool === 'present_files' || (tool === 'read_file' && intent.kind === 'replace');
}

function putTogether(tasks: readonly string[], results: readonly ToolResult[]): string {
  const done = results.filter(({ failed }) => !failed).length;
  const all = tasks.length === 1 ? 'The sub-agent is done.' : `All ${tasks.length} sub-agents are done.`;
  const some = `${done} of ${tasks.length} sub-agents did what they were given.`;
  const parts = tasks.map((task, index) => {
    const result = results[index];
    const words = result?.failed === true ? failed(result) : (result?.text ?? '');
    return `### ${shortened(task, HEADING_CHARACTERS)}\n\n${words}`;
  });
  return [done === tasks.length ? all : some, ...parts].join('\n\n');
}

function replyToOne(intent: Intent, result: ToolResult, index: number): string {
  if (result.failed) return failed(result);
  switch (intent.kind) {
    case 'list':
      return listing(intent.path, result.text);
    case 'read':
      return file(intent.paths[index] ?? intent.paths.at(-1) ?? 'the file', result.text);
    case 'summarise_file':
      return summaryOf(result.text, `\`${intent.path}\``);
    case 'write':
      return written(intent);
    case 'run':
      return ranCommand(intent.command, result.text);
    case 'replace':
      return `Done. In \`${intent.path}\`, “${intent.from}” is now “${intent.to}”.`;
    default:
      return `The tool \`${result.tool}\` answered:\n\n${codeBlock(result.text)}`;
  }
}

function reported(results: readonly ToolResult[]): string {
  const problem = results.find((result) => result.failed);
  return problem === undefined
    ? 'The report is done: a document, its numbers as a table, and a page with a picture of them.'
    : failed(problem);
}

/** Omits the output, which the result of the call already shows. */
function ranCommand(command: string, said: string): string {
  const code = /Exit Code: (\S+)$/.exec(said)?.[1];
  const name = codeSpan(shortened(command, HEADING_CHARACTERS));
  if (code !== undefined) return `${name} ended with exit code ${code}.`;
  return said === '(no output)' ? `${name} is done. It said nothing.` : `${name} is done.`;
}

function codeSpan(text: string): string {
  return text.includes('`') ? `“${text}”` : `\`${text}\``;
}

function failed(result: ToolResult): string {
  const words = result.text.replace(/^error:\s*/i, '').trim() || 'no reason given';
  return `That did not work. The tool \`${result.tool}\` reported:\n\n${quote(words)}\n\nNothing was changed by this step.`;
}

function listing(path: string, text: string): string {
  const isEmpty = text.trim() === '' || text.trim() === '(empty)';
  if (isEmpty) return `There are no files in \`${path}\` yet. Try “write NOTES.md: your first note”.`;
  return `This is what is in \`${path}\`:\n\n${codeBlock(text)}`;
}

function file(path: string, text: string): string {
  if (text === '' || text.trim() === '(empty)') return `\`${path}\` is empty.`;
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return `\`${path}\` says:\n\n${codeBlock(text, LANGUAGES[extension] ?? 'text')}`;
}

function written(intent: Extract<Intent, { kind: 'write' }>): string {
  const words = intent.content.match(/\S+/g)?.length ?? 0;
  const amount = `${words} ${words === 1 ? 'word' : 'words'}`;
  return `I ${intent.append ? 'added' : 'wrote'} ${amount} to \`${intent.path}\`.`;
}

/** Returns a summary in Markdown; `subject` names what is summarised. */
export function summaryOf(text: string, subject: string): string {
  const { sentences, total, keywords } = summarise(text);
  if (total === 0) return `There are no sentences in ${subject} that I could summarise.`;
  const points = sentences.map((sentence) => `- ${sentence}`).join('\n');
  const about = keywords.length > 0 ? `\n\nIt is mostly about: ${keywords.join(', ')}.` : '';
  const method = `\n\n*Picked word for word: ${sentences.length} of ${total} ${total === 1 ? 'sentence' : 'sentences'}.*`;
  return `**Summary of ${subject}**\n\n${points}${about}${method}`;
}
