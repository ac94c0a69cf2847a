// No sandbox at all: commands run as the service's own user. Only for an administrator who allowed it.
import { limitedScript } from '../../processes/limited-command.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import { preparedCommand, systemLimits } from './prepared-command.ts';
import { realRoot } from './report-output.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import type { SeenFolders } from './seen-folders.ts';

/**
 * There are no mounts, so virtual paths in the script become real ones, and real ones in the output virtual.
 */
export function createHostSandbox(parts: SandboxParts): Sandbox {
  const { options } = parts;
  return {
    kind: 'host',
    async run(command) {
      const { seen, run } = await preparedCommand(parts, command);
      const workspace = `${realRoot(seen.areas)}/workspace`;
      return run({
        ...limitedScript(withRealPaths(command.script, seen), systemLimits(options)),
        // Nothing from the environment of the service.
        env: {
          PATH: options.path,
          HOME: workspace,
          LANG: 'C.UTF-8',
          // Nothing enforces read-only folders here: Python would write compiled files into them.
          PYTHONDONTWRITEBYTECODE: '1',
        },
        cwd: workspace,
      });
    },
  };
}

/** The name of a folder may be the beginning of another name, which must stay as it is. */
const GOES_ON = /^[\w.-]/;

function withRealPaths(script: string, { areas, readOnly }: SeenFolders): string {
  let real = script.replaceAll(VIRTUAL_ROOT, realRoot(areas));
  for (const folder of readOnly) {
    const [first = '', ...others] = real.split(folder.virtual);
    real = others.reduce(
      (text, rest) => `${text}${GOES_ON.test(rest) ? folder.virtual : folder.real}${rest}`,
      first,
    );
  }
  return real;
}
