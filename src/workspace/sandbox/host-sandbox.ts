// No sandbox at all: commands run as this service's own user. Only for an administrator who allowed it.
import { limitedScript } from '../../processes/limited-command.ts';
import { runProcess } from '../../processes/run-process.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import { areaFolders } from './area-folders.ts';
import { diskWatch } from './disk-watch.ts';
import { processLimits, systemLimits } from './process-limits.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import { realRoot, toldOutput } from './told-output.ts';

/** Virtual paths in the script become real ones, and real ones in the output virtual: there are no mounts here. */
export function createHostSandbox(parts: SandboxParts): Sandbox {
  const { dataHome, options } = parts;
  return {
    kind: 'host',
    async run(command) {
      const limits = processLimits(options, await diskWatch(parts, command.place), 'watched');
      const areas = await areaFolders(dataHome, command.place);
      const root = realRoot(areas);
      const workspace = `${root}/workspace`;
      return runProcess(
        {
          ...limitedScript(command.script.replaceAll(VIRTUAL_ROOT, root), systemLimits(options)),
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
