// The sandbox: do the agent's commands run in one, and which?
import { askProgram } from '../../processes/ask-program.ts';
import { probeBubblewrap } from '../../processes/probe-bubblewrap.ts';
import type { SandboxOptions } from '../../workspace/sandbox/sandbox-options.ts';
import type { Finding } from '../finding.ts';

const subject = 'sandbox';
const ENGINE_MS = 10_000;

export async function checkSandbox(options: SandboxOptions): Promise<Finding> {
  switch (options.kind) {
    case 'off':
      return { verdict: 'ok', subject, message: 'Off: the agent runs no commands.' };
    case 'virtual':
      return { verdict: 'ok', subject, message: 'The virtual shell.' };
    case 'auto':
    case 'bubblewrap':
      return bubblewrapFinding(options);
    case 'container':
      return containerFinding(options);
    case 'host':
      return hostFinding(options);
    default:
      return options.kind satisfies never;
  }
}

async function bubblewrapFinding({ kind, path }: SandboxOptions): Promise<Finding> {
  const probe = await probeBubblewrap(path);
  if (probe.works) return { verdict: 'ok', subject, message: 'Bubblewrap.' };
  if (kind === 'bubblewrap') {
    return { verdict: 'problem', subject, message: 'Bubblewrap does not work here.', fix: probe.reason };
  }
  const message = 'The virtual shell, because bubblewrap does not work here: no installed programs.';
  return { verdict: 'note', subject, message, fix: probe.reason };
}

async function containerFinding({ path, container: { engine, env } }: SandboxOptions): Promise<Finding> {
  const asked = { program: engine, args: ['info'], env: { PATH: path, ...env }, timeoutMs: ENGINE_MS };
  const answer = await askProgram(asked);
  if (answer.kind === 'answered') return { verdict: 'ok', subject, message: `Containers of ${engine}.` };
  const fix = `Start the engine, or say in sandbox.container which one to use; '${engine} info' must answer.`;
  return { verdict: 'problem', subject, message: `The engine '${engine}' does not answer.`, fix };
}

function hostFinding({ allow_host }: SandboxOptions): Finding {
  if (!allow_host) {
    const fix =
      'Take another sandbox.kind, or set sandbox.allow_host: true if you trust everybody who can sign in.';
    return {
      verdict: 'problem',
      subject,
      message: 'sandbox.kind is host, which needs sandbox.allow_host.',
      fix,
    };
  }
  const message = 'None: commands run on this machine, with everything that the service may see and do.';
  return { verdict: 'note', subject, message, fix: 'Take sandbox.kind: auto unless you mean it.' };
}
