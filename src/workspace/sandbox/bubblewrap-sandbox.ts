// Commands in namespaces of their own: no network, a read-only system, nobody else's files, processes or secrets.
import { VIRTUAL_ROOT } from '../paths.ts';
import { type AreaFolder, areaFolders } from './area-folders.ts';
import { diskWatch } from './disk-watch.ts';
import { limitedScript } from './limited-script.ts';
import { processLimits } from './process-limits.ts';
import { runProcess } from './run-process.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { systemArguments } from './system-arguments.ts';
import { toldOutput } from './told-output.ts';

const MIB = 1_048_576;
/** Who the command is: nobody that exists outside. */
const UID = '1000';
const PASSWD = `agent:x:${UID}:${UID}::${VIRTUAL_ROOT}/workspace:/bin/bash\n`;
const GROUP = `agent:x:${UID}:\n`;
const TMP_BYTES = 256 * MIB;
/** Of the system's configuration: what programs need to start, and nothing that tells of this machine. */
const ETC = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/localtime', '/etc/mime.types'];
const ETC_OF_NETWORK = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/ssl',
  '/etc/ca-certificates',
];

export function createBubblewrapSandbox(parts: SandboxParts): Sandbox {
  const { dataHome, options } = parts;
  return {
    kind: 'bubblewrap',
    async run(command) {
      const limits = processLimits(options, diskWatch(parts, command.place), 'watched');
      const areas = await areaFolders(dataHome, command.place);
      const process = {
        program: 'bwrap',
        args: ['--args', '3', '--', '/bin/bash', ...limitedScript(command.script, options)],
        // The first process in the box has the environment of bubblewrap itself.
        env: { PATH: options.path },
        // Not in the arguments, which the command can read: they name folders of this machine.
        inputs: [(await boxArguments(areas, options)).map((arg) => `${arg}\0`).join(''), PASSWD, GROUP],
      };
      return runProcess(process, limits, { signal: command.signal, output: toldOutput(areas, command) });
    },
  };
}

async function boxArguments(
  areas: readonly AreaFolder[],
  { network, path }: SandboxOptions,
): Promise<readonly string[]> {
  return [
    ...['--unshare-user', '--unshare-all', '--disable-userns', ...(network ? ['--share-net'] : [])],
    ...['--uid', UID, '--gid', UID, '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...['--die-with-parent', '--new-session', '--clearenv'],
    ...['--setenv', 'PATH', path, '--setenv', 'HOME', `${VIRTUAL_ROOT}/workspace`],
    ...['--setenv', 'USER', 'agent', '--setenv', 'LANG', 'C.UTF-8', '--setenv', 'TMPDIR', '/tmp'],
    ...(await systemArguments()),
    ...[...ETC, ...(network ? ETC_OF_NETWORK : [])].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--ro-bind-data', '4', '/etc/passwd', '--ro-bind-data', '5', '/etc/group'],
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(TMP_BYTES), '--tmpfs', '/tmp'],
    ...areas.flatMap(({ virtual, real }) => ['--bind', real, virtual]),
    ...['--remount-ro', '/', '--chdir', `${VIRTUAL_ROOT}/workspace`],
  ];
}
