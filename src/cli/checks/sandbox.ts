// The sandbox: do the agent's commands run in one, and which?
import { askProgram } from '../../processes/ask-program.ts';
import type { Confinement, ConfinementOf } from '../../processes/confinement.ts';
import { confinementGaps, type Gap } from '../../workspace/sandbox/confinement-gaps.ts';
import type { SandboxOptions } from '../../workspace/sandbox/sandbox-options.ts';
import type { Finding } from '../finding.ts';

const subject = 'sandbox';
const ENGINE_MS = 10_000;

/** What commands run in, and everything that is missing to hold them. */
export async function checkSandbox(
  options: SandboxOptions,
  confinement: ConfinementOf,
): Promise<readonly Finding[]> {
  const [finding, gaps] = await Promise.all([
    kindFinding(options, confinement),
    confinementGaps(options, confinement),
  ]);
  const isMissing = ({ weight }: Gap) => options.require === 'strict' && weight === 'wall';
  return [
    finding,
    ...gaps.map((gap): Finding => {
      const verdict = isMissing(gap) ? 'problem' : 'note';
      return { verdict, subject, message: gap.message, fix: gap.fix };
    }),
  ];
}

async function kindFinding(options: SandboxOptions, confinement: ConfinementOf): Promise<Finding> {
  switch (options.kind) {
    case 'off':
      return { verdict: 'ok', subject, message: 'Off: the agent runs no commands.' };
    case 'virtual':
      return { verdict: 'ok', subject, message: 'The virtual shell.' };
    case 'auto':
    case 'bubblewrap':
      return bubblewrapFinding(options, await confinement());
    case 'container':
      return containerFinding(options);
    case 'host':
      return hostFinding(options);
    default:
      return options.kind satisfies never;
  }
}

function bubblewrapFinding({ kind }: SandboxOptions, found: Confinement): Finding {
  const { answered: responded, bubblewrap, filter, groups } = found;
  if (bubblewrap.works) {
    const parts = [
      'Bubblewrap',
      ...(responded && filter.kind === 'usable' ? ['a filter of system calls'] : []),
      ...(groups.kind === 'usable' ? ['control groups'] : []),
    ];
    return { verdict: 'ok', subject, message: `${parts.join(', ')}.` };
  }
  if (kind === 'bubblewrap') {
    return { verdict: 'problem', subject, message: 'Bubblewrap does not work here.', fix: bubblewrap.reason };
  }
  const message = 'The virtual shell, because bubblewrap does not work here: no installed programs.';
  return { verdict: 'note', subject, message, fix: bubblewrap.reason };
}

async function containerFinding({ path, container: { engine, env } }: SandboxOptions): Promise<Finding> {
  const asked = { program: engine, args: ['info'], env: { PATH: path, ...env }, timeoutMs: ENGINE_MS };
  const outcome = await askProgram(asked);
  if (outcome.kind === 'answered') return { verdict: 'ok', subject, message: `Containers of ${engine}.` };
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
