// Checks whether the agent's commands run in a sandbox, and in which.
import { askProgram } from '../../processes/ask-program.ts';
import type { Confinement, ConfinementOf } from '../../processes/confinement.ts';
import { confinementGaps, type Gap } from '../../workspace/sandbox/confinement-gaps.ts';
import type { SandboxOptions } from '../../workspace/sandbox/sandbox-options.ts';
import { type Finding, findingsOn } from '../finding.ts';

const { ok, note, problem } = findingsOn('sandbox');
const ENGINE_MS = 10_000;

/** Reports the sandbox of commands, and everything that is missing to confine them. */
export async function checkSandbox(
  options: SandboxOptions,
  confinement: ConfinementOf,
): Promise<readonly Finding[]> {
  const [finding, gaps] = await Promise.all([
    kindFinding(options, confinement),
    confinementGaps(options, confinement),
  ]);
  const isMissing = ({ weight }: Gap) => options.require === 'strict' && weight === 'wall';
  return [finding, ...gaps.map((gap) => (isMissing(gap) ? problem : note)(gap.message, gap.fix))];
}

async function kindFinding(options: SandboxOptions, confinement: ConfinementOf): Promise<Finding> {
  switch (options.kind) {
    case 'off':
      return ok('Off: the agent runs no commands.');
    case 'virtual':
      return ok('The virtual shell.');
    case 'auto':
    case 'bubblewrap':
      return bubblewrapFinding(options, await confinement());
    case 'container':
      return containerFinding(options);
    case 'host':
      return hostFinding(options);
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
    return ok(`${parts.join(', ')}.`);
  }
  if (kind === 'bubblewrap') return problem('Bubblewrap does not work here.', bubblewrap.reason);
  const message =
    'The virtual shell, because bubblewrap does not work here: commands cannot use installed programs.';
  return note(message, bubblewrap.reason);
}

async function containerFinding({ path, container: { engine, env } }: SandboxOptions): Promise<Finding> {
  const asked = { program: engine, args: ['info'], env: { PATH: path, ...env }, timeoutMs: ENGINE_MS };
  const outcome = await askProgram(asked);
  if (outcome.kind === 'answered') return ok(`Containers of ${engine}.`);
  const fix = `Start the engine, or name another one in sandbox.container; '${engine} info' must succeed.`;
  return problem(`The engine '${engine}' does not answer.`, fix);
}

function hostFinding({ allow_host }: SandboxOptions): Finding {
  if (!allow_host) {
    const fix =
      'Choose another sandbox.kind, or set sandbox.allow_host: true if you trust everyone who can sign in.';
    return problem('sandbox.kind is host, which needs sandbox.allow_host.', fix);
  }
  const message = 'None: commands run on this machine with the full rights of the service.';
  return note(message, 'Use sandbox.kind: auto unless you intend this.');
}
