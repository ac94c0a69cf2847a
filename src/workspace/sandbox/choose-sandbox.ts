// Chooses the configured sandbox for commands; `auto` takes the best one that works here. Also makes the
// commands of all users take turns in it.
import { invalid } from '../../errors.ts';
import { type FairShare, refusalSentence } from '../../fair-share/fair-share.ts';
import type { ConfinementOf } from '../../processes/confinement.ts';
import type { ProcessOutcome } from '../../processes/outcome.ts';
import { createBubblewrapSandbox } from './bubblewrap-sandbox.ts';
import { requireWalls } from './confinement-gaps.ts';
import { createContainerSandbox } from './container-sandbox.ts';
import { createHostSandbox } from './host-sandbox.ts';
import type { Sandbox, SandboxCommand, SandboxParts } from './sandbox.ts';
import { createVirtualSandbox } from './virtual-sandbox.ts';

interface ChoiceParts extends SandboxParts {
  readonly confinement: ConfinementOf;
}

/** `undefined`: the agent has no sandbox. Throws `invalid` for a problem that an administrator must solve. */
export async function chooseSandbox({ confinement, ...parts }: ChoiceParts): Promise<Sandbox | undefined> {
  const { kind, allow_host } = parts.options;
  await requireWalls(parts.options, confinement);
  switch (kind) {
    case 'off':
      return undefined;
    case 'auto':
    case 'bubblewrap': {
      const { bubblewrap } = await confinement();
      if (bubblewrap.works) return createBubblewrapSandbox({ ...parts, confinement });
      if (kind === 'auto') return createVirtualSandbox(parts);
      throw invalid(`sandbox.kind: bubblewrap does not work here. ${bubblewrap.reason}`);
    }
    case 'container':
      return createContainerSandbox(parts);
    case 'virtual':
      return createVirtualSandbox(parts);
    case 'host':
      if (!allow_host) {
        throw invalid(
          'sandbox.kind: host runs commands without a sandbox and needs sandbox.allow_host: true.',
        );
      }
      return createHostSandbox(parts);
  }
}

/** The time for which a command waits does not count as its run time. */
export function sharedSandbox(sandbox: Sandbox, places: FairShare): Sandbox {
  return {
    kind: sandbox.kind,
    async run(command: SandboxCommand): Promise<ProcessOutcome> {
      const { place, signal } = command;
      const turn = await places.use(place.userId, signal, () => sandbox.run(command));
      switch (turn.kind) {
        case 'done':
          return turn.result;
        case 'cancelled':
          return { kind: 'stopped', cause: 'cancelled' };
        case 'refused':
          return { kind: 'failed', message: refusalSentence(turn, 'commands') };
      }
    },
  };
}
