// No sandbox at all: commands run as this service's own user. Only for an administrator who allowed it.
import { VIRTUAL_ROOT } from '../paths.ts';
import { areaFolders } from './area-folders.ts';
import { diskWatch } from './disk-watch.ts';
import { limitedScript } from './limited-script.ts';
import { processLimits } from './process-limits.ts';
import { runProcess } from './run-process.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import { realRoot, toldOutput } from './told-output.ts';

/** Virtual paths in the script become real ones, and real ones in the output virtual: there are no mounts here. */
export function createHostSandbox(parts: SandboxParts): Sandbox {
  const { dataHome, options } = parts;
  return {
    kind: 'host',
    async run(command) {
      const limits = processLimits(options, diskWatch(parts, command.place), 'watched');
      const areas = await areaFolders(dataHome, command.place);
      const root = realRoot(areas);
      const workspace = `${root}/workspace`;
      return runProcess(
        {
          program: '/bin/bash',
          args: limitedScript(command.script.replaceAll(VIRTUAL_ROOT, root), options),
          // Nothing of the service's own environment.
          env: { PATH: options.path, HOME: workspace, LANG: 'C.UTF-8' },
          cwd: workspace,
        },
        limits,
        { signal: command.signal, output: toldOutput(areas, command) },
      );
    },
  };
}
