// Which sandbox commands run in, as configured; `auto` takes the best one that works here.
import { invalid } from '../../errors.ts';
import { probeBubblewrap } from '../../processes/probe-bubblewrap.ts';
import { createBubblewrapSandbox } from './bubblewrap-sandbox.ts';
import { createContainerSandbox } from './container-sandbox.ts';
import { createHostSandbox } from './host-sandbox.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import { createVirtualSandbox } from './virtual-sandbox.ts';

/** `undefined`: the agent has none. Throws `invalid` for what an administrator has to change. */
export async function chooseSandbox(parts: SandboxParts): Promise<Sandbox | undefined> {
  const { kind, allow_host } = parts.options;
  switch (kind) {
    case 'off':
      return undefined;
    case 'auto': {
      const probe = await probeBubblewrap(parts.options.path);
      return probe.works ? createBubblewrapSandbox(parts) : createVirtualSandbox(parts);
    }
    case 'bubblewrap': {
      const probe = await probeBubblewrap(parts.options.path);
      if (!probe.works) throw invalid(`sandbox.kind: bubblewrap does not work here. ${probe.reason}`);
      return createBubblewrapSandbox(parts);
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
    default:
      return kind satisfies never;
  }
}
