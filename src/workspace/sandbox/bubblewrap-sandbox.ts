// Commands in namespaces of their own: no network or a filtered one, a read-only system, nobody else's files, processes or secrets.
import type { Server } from 'node:net';
import { type Box, boxedCommand } from '../../processes/box.ts';
import type { ConfinementOf } from '../../processes/confinement.ts';
import { limitedScript } from '../../processes/limited-command.ts';
import type { ProcessOutcome } from '../../processes/outcome.ts';
import { NOT_STARTED, runProcess } from '../../processes/run-process.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import { diskWatch } from './disk-watch.ts';
import { BoxProxy } from './network/box-proxy.ts';
import { internetRules, type NetworkRules } from './network/proxy-target.ts';
import { processLimits, systemLimits } from './process-limits.ts';
import { reportOutput } from './report-output.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { type SeenFolders, seenFolders } from './seen-folders.ts';

const MIB = 1_048_576;
const PASSWD = `agent:x:1000:1000::${VIRTUAL_ROOT}/workspace:/bin/bash\n`;
const GROUP = 'agent:x:1000:\n';
const TMP_BYTES = 256 * MIB;
const SHARED_BYTES = 64 * MIB;
/** Of the system's configuration: what programs need to start, and nothing that tells of this machine. */
const ETC = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/localtime', '/etc/mime.types'];
/** Whom to trust; not what lies beside it, such as the private keys of this machine. */
const CERTIFICATES = [
  ...['/etc/ssl/certs', '/etc/ssl/cert.pem', '/etc/ssl/openssl.cnf', '/etc/ca-certificates'],
  ...['/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted'],
];
/** Where the proxy is in every box: nothing else listens there before it. */
const PROXY_PORT = 3_128;

/** In both spellings: programs read one or the other. */
const PROXY_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries([
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
    .flatMap((name) => [name, name.toLowerCase()])
    .map((name) => [name, `http://127.0.0.1:${PROXY_PORT}`]),
  ...['NO_PROXY', 'no_proxy'].map((name) => [name, '']),
]);

interface BubblewrapParts extends SandboxParts {
  readonly confinement: ConfinementOf;
  /** What commands reach where they have the network. */
  readonly rules?: NetworkRules;
}

export function createBubblewrapSandbox(parts: BubblewrapParts): Sandbox {
  const { options, confinement, rules = internetRules() } = parts;
  return {
    kind: 'bubblewrap',
    async run(command) {
      const held = await confinement();
      const limits = processLimits(options, await diskWatch(parts, command.place), 'watched');
      const seen = await seenFolders(parts, command.place);
      const script = limitedScript(command.script, systemLimits(options));
      const run = async (network: Box['network']): Promise<ProcessOutcome> => {
        const boxed = await boxedCommand(script, boxOf(seen, network, options), held);
        const process = { ...boxed, env: { PATH: options.path } };
        return runProcess(process, limits, { signal: command.signal, output: reportOutput(seen, command) });
      };
      if (!options.network) return run({ kind: 'none' });
      return throughProxy(new BoxProxy({ rules, bytes: options.network_mb * MIB }), run);
    },
  };
}

/** One proxy for one command, which ends with it. */
async function throughProxy(
  proxy: BoxProxy,
  run: (network: Box['network']) => Promise<ProcessOutcome>,
): Promise<ProcessOutcome> {
  let isReady = false;
  try {
    const onListening = (server: Server): void => {
      isReady = true;
      proxy.listen(server);
    };
    const outcome = await run({ kind: 'port', port: PROXY_PORT, onListening });
    return isReady || outcome.kind !== 'exited' ? outcome : NOT_STARTED;
  } finally {
    proxy.close();
  }
}

function boxOf(
  { areas, readOnly }: SeenFolders,
  network: Box['network'],
  { path, memory_mb }: SandboxOptions,
): Box {
  const home = `${VIRTUAL_ROOT}/workspace`;
  return {
    hostname: 'sandbox',
    env: {
      PATH: path,
      HOME: home,
      USER: 'agent',
      LANG: 'C.UTF-8',
      TMPDIR: '/tmp',
      ...(network.kind === 'none' ? {} : PROXY_VARIABLES),
    },
    binds: [
      ...areas.map(({ virtual, real }) => ({ access: 'write' as const, outside: real, inside: virtual })),
      ...readOnly.map(({ virtual, real }) => ({
        access: 'read_if_there' as const,
        outside: real,
        inside: virtual,
      })),
    ],
    system: [...ETC, ...(network.kind === 'none' ? [] : CERTIFICATES)],
    files: [
      { path: '/etc/passwd', text: PASSWD },
      { path: '/etc/group', text: GROUP },
    ],
    network,
    tmpBytes: Math.min(TMP_BYTES, memory_mb * MIB),
    sharedBytes: Math.min(SHARED_BYTES, memory_mb * MIB),
    folder: home,
  };
}
