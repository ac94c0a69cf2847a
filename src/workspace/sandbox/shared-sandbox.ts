// A sandbox whose commands wait for their turn among those of all users.
import { type FairShare, refusalSentence } from '../../fair-share/fair-share.ts';
import type { ProcessOutcome } from '../../processes/outcome.ts';
import type { Sandbox, SandboxCommand } from './sandbox.ts';

/** The time for which a command waits does not count as its own. */
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
        default:
          return turn satisfies never;
      }
    },
  };
}
