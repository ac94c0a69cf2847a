// Commands in namespaces of their own: no network, a read-only system, nobody else's files, processes or secrets.
import { type Box, boxedCommand } from '../../processes/box.ts';
import type { Confinement } from '../../processes/confinement.ts';
import { limitedScript } from '../../processes/limited-command.ts';
import { runProcess } from '../../processes/run-process.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import { type AreaFolder, areaFolders } from './area-folders.ts';
import { diskWatch } from './disk-watch.ts';
import { processLimits, systemLimits } from './process-limits.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { toldOutput } from './told-output.ts';

const MIB = 1_048_576;
const PASSWD = `agent:x:1000:1000::${VIRTUAL_ROOT}/workspace:/bin/bash\n`;
const GROUP = 'agent:x:1000:\n';
const TMP_BYTES = 256 * MIB;
const SHARED_BYTES = 64 * MIB;
/** Of the system's configuration: what programs need to start, and nothing that tells of this machine. */
const ETC = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/localtime', '/etc/mime.types'];
const ETC_OF_NETWORK = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/ssl',
  '/etc/ca-certificates',
];

interface BubblewrapParts extends SandboxParts {
  readonly confinement: Confinement;
}

export function createBubblewrapSandbox(parts: BubblewrapParts): Sandbox {
  const { dataHome, options, confinement } = parts;
  return {
    kind: 'bubblewrap',
    async run(command) {
      const limits = processLimits(options, await diskWatch(parts, command.place), 'watched');
      const areas = await areaFolders(dataHome, command.place);
      const script = limitedScript(command.script, systemLimits(options));
      const boxed = await boxedCommand(script, boxOf(areas, options), confinement);
      const process = { ...boxed, env: { PATH: options.path } };
      return runProcess(process, limits, { signal: command.signal, output: toldOutput(areas, command) });
    },
  };
}

function boxOf(areas: readonly AreaFolder[], { network, path, memory_mb }: SandboxOptions): Box {
  const home = `${VIRTUAL_ROOT}/workspace`;
  return {
    hostname: 'sandbox',
    env: { PATH: path, HOME: home, USER: 'agent', LANG: 'C.UTF-8', TMPDIR: '/tmp' },
    binds: areas.map(({ virtual, real }) => ({ access: 'write', outside: real, inside: virtual })),
    system: [...ETC, ...(network ? ETC_OF_NETWORK : [])],
    files: [
      { path: '/etc/passwd', text: PASSWD },
      { path: '/etc/group', text: GROUP },
    ],
    network: network ? 'shared' : 'none',
    tmpBytes: Math.min(TMP_BYTES, memory_mb * MIB),
    sharedBytes: Math.min(SHARED_BYTES, memory_mb * MIB),
    folder: home,
  };
}
