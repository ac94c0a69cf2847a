// What this machine lacks, or its configuration leaves open, to confine the agent's commands.
import { invalid } from '../../errors.ts';
import type { Confinement, ConfinementOf } from '../../processes/confinement.ts';
import type { SandboxOptions } from './sandbox-options.ts';

export interface Gap {
  /** `sandbox.require: strict` refuses to start while a `wall` is missing. */
  readonly weight: 'wall' | 'advice';
  readonly message: string;
  /** What an administrator can do about it. */
  readonly fix: string;
}

/** Resolves with an empty list when nothing is missing, or there are no commands. Never rejects. */
export async function confinementGaps(
  options: SandboxOptions,
  check: ConfinementOf,
): Promise<readonly Gap[]> {
  switch (options.kind) {
    case 'off':
      return [];
    case 'virtual':
      return [VIRTUAL];
    case 'host':
      return [HOST];
    case 'container':
      return options.network ? [NETWORK] : [];
    case 'auto':
    case 'bubblewrap':
      return gapsOfBox(await check());
  }
}

/** Throws `invalid` with everything that is missing, if the operator accepts no missing wall. */
export async function requireWalls(options: SandboxOptions, check: ConfinementOf): Promise<void> {
  if (options.require !== 'strict') return;
  const walls = (await confinementGaps(options, check)).filter(({ weight }) => weight === 'wall');
  if (walls.length === 0) return;
  const missing = walls.map(({ message, fix }) => `${message} ${fix}`).join(' ');
  throw invalid(`sandbox.require is strict, and this machine cannot hold commands. ${missing}`);
}

function gapsOfBox({ answered, bubblewrap, filter, groups }: Confinement): readonly Gap[] {
  if (!bubblewrap.works) {
    const message =
      'Commands run in the virtual shell, a plain process of this user, because bubblewrap does not work here.';
    return [{ weight: 'wall', message, fix: bubblewrap.reason }];
  }
  const gaps: Gap[] = answered ? [] : [NO_RESPONSE];
  if (filter.kind === 'missing')
    gaps.push({ weight: 'wall', message: 'Commands can make any system call.', fix: filter.reason });
  if (groups.kind === 'missing') {
    const message = 'The memory of commands is looked at ten times a second, and not limited by the kernel.';
    gaps.push({ weight: 'wall', message, fix: groups.reason });
  }
  if (process.getuid?.() === 0) gaps.push(ROOT);
  return gaps;
}

const NO_RESPONSE: Gap = {
  weight: 'wall',
  message: 'Bubblewrap did not answer in time: nobody knows yet what this machine can hold commands with.',
  fix: 'Try again when the machine is less busy. Every command checks again, and none runs with less confinement than possible.',
};
const VIRTUAL: Gap = {
  weight: 'wall',
  message: 'Commands run in the virtual shell, a plain process of this user.',
  fix: 'Use sandbox.kind: auto, with bubblewrap installed.',
};
const HOST: Gap = {
  weight: 'wall',
  message: 'Commands run on this machine without a sandbox.',
  fix: 'Take sandbox.kind: auto.',
};
const NETWORK: Gap = {
  weight: 'wall',
  message:
    'Commands in containers reach every address that the engine lets them: databases, other services, and the credentials of a cloud.',
  fix: 'Set sandbox.network: false, or use sandbox.kind: bubblewrap, whose network is filtered.',
};
const ROOT: Gap = {
  weight: 'advice',
  message:
    'The service runs as root: a command that breaks out of its sandbox can do anything on this machine.',
  fix: 'Run the service as a dedicated user.',
};
