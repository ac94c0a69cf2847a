// A script for just-bash whose commands report output as each of them ends, not when the script has ended.
import type { CommandNode, PipelineNode, ScriptNode, StatementNode } from 'just-bash';
import type { OutputStream } from '../../processes/outcome.ts';

/** The paths to which output is appended. Nothing else uses them, and no listing shows them. */
export const REPORTED_PATHS: Readonly<Record<OutputStream, string>> = {
  stdout: '/dev/told/stdout',
  stderr: '/dev/told/stderr',
};

/**
 * Returns the same script with `>>` before the redirections of each command whose output is the script's own:
 * those in loops, branches and groups, but not those in a pipe, a function or a substitution, whose output
 * others read. Output from expanding the words of a command is not redirected, and arrives when the script
 * has ended.
 */
export function reportingScript(script: ScriptNode): ScriptNode {
  return { ...script, statements: reportAll(script.statements) };
}

/** False with `exec`: it redirects all later output, which redirecting each command would undo. */
export function canReport(source: string): boolean {
  return !/(?<![\w-])exec(?![\w-])/.test(source);
}

function reportAll(statements: readonly StatementNode[]): StatementNode[] {
  return statements.map((it) => ({ ...it, pipelines: it.pipelines.map(reportPipeline) }));
}

function reportPipeline(pipeline: PipelineNode): PipelineNode {
  const last = pipeline.commands.length - 1;
  const commands = pipeline.commands.map((it, place) => {
    if (place === last) return report(it);
    return pipeline.pipeStderr?.[place] === true ? it : redirected(it, ['stderr']);
  });
  return { ...pipeline, commands };
}

function report(command: CommandNode): CommandNode {
  const streams: readonly OutputStream[] = ['stdout', 'stderr'];
  return redirected(hasOwnOutput(command) ? command : reportInside(command), streams);
}

function reportInside(command: CommandNode): CommandNode {
  switch (command.type) {
    case 'For':
    case 'CStyleFor':
    case 'Group':
    case 'Subshell':
      return { ...command, body: reportAll(command.body) };
    case 'While':
    case 'Until':
      return { ...command, condition: reportAll(command.condition), body: reportAll(command.body) };
    case 'If': {
      const clauses = command.clauses.map((it) => ({
        condition: reportAll(it.condition),
        body: reportAll(it.body),
      }));
      return {
        ...command,
        clauses,
        elseBody: command.elseBody === null ? null : reportAll(command.elseBody),
      };
    }
    case 'Case':
      return { ...command, items: command.items.map((it) => ({ ...it, body: reportAll(it.body) })) };
    default:
      return command;
  }
}

const INPUT = new Set(['<', '<<', '<<-', '<<<']);

function hasOwnOutput({ redirections }: CommandNode): boolean {
  return redirections.some(({ operator }) => !INPUT.has(operator));
}

function redirected(command: CommandNode, streams: readonly OutputStream[]): CommandNode {
  // A definition has no output, and an assignment would lose the output of its substitution.
  if (command.type === 'FunctionDef') return command;
  if (command.type === 'SimpleCommand' && command.name === null) return command;
  const redirections = [...streams.map(toReportedPath), ...command.redirections];
  return { ...command, redirections };
}

type Redirection = CommandNode['redirections'][number];

function toReportedPath(stream: OutputStream): Redirection {
  return {
    type: 'Redirection',
    fd: stream === 'stdout' ? 1 : 2,
    operator: '>>',
    target: { type: 'Word', parts: [{ type: 'Literal', value: REPORTED_PATHS[stream] }] },
  };
}
