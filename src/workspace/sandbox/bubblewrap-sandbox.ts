// Runs commands in namespaces of their own: no network or a filtered one, a read-only system, and no files,
// processes or secrets of others.
import type { Server } from 'node:net';
import { accountFiles, type Box, boxedCommand, CERTIFICATES, PLAIN_SETTINGS } from '../../processes/box.ts';
import type { ConfinementOf } from '../../processes/confinement.ts';
import { limitedScript } from '../../processes/limited-command.ts';
import type { ProcessOutcome } from '../../processes/outcome.ts';
import { NOT_STARTED } from '../../processes/run-process.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import { BoxProxy } from './network/box-proxy.ts';
import { internetRules, type NetworkRules } from './network/proxy-target.ts';
import { preparedCommand, systemLimits } from './prepared-command.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import type { SeenFolders } from './seen-folders.ts';

const MIB = 1_048_576;
const TMP_BYTES = 256 * MIB;
const SHARED_BYTES = 64 * MIB;
/** The port of the proxy in every box. Nothing else listens there before it. */
const PROXY_PORT = 3_128;

/** In both spellings, because programs read one or the other. */
const PROXY_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries([
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
    .flatMap((name) => [name, name.toLowerCase()])
    .map((name) => [name, `http://127.0.0.1:${PROXY_PORT}`]),
  ...['NO_PROXY', 'no_proxy'].map((name) => [name, '']),
]);

interface BubblewrapParts extends SandboxParts {
  readonly confinement: ConfinementOf;
  /** What commands may reach when they have the network. */
  readonly rules?: NetworkRules;
}

export function createBubblewrapSandbox(parts: BubblewrapParts): Sandbox {
  const { options, confinement, rules = internetRules() } = parts;
  return {
    kind: 'bubblewrap',
    async run(command) {
      const held = await confinement();
      const { seen, run } = await preparedCommand(parts, command);
      const script = limitedScript(command.script, systemLimits(options));
      const runWith = async (network: Box['network']): Promise<ProcessOutcome> => {
        const boxed = await boxedCommand(script, boxOf(seen, network, options), held);
        return run({ ...boxed, env: { PATH: options.path } });
      };
      if (!options.network) return runWith({ kind: 'none' });
      return throughProxy(new BoxProxy({ rules, bytes: options.network_mb * MIB }), runWith);
    },
  };
}

/** Uses one proxy for one command, and closes it with the command. */
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
    system: [...PLAIN_SETTINGS, ...(network.kind === 'none' ? [] : CERTIFICATES)],
    files: accountFiles(home, '/bin/bash'),
    network,
    tmpBytes: Math.min(TMP_BYTES, memory_mb * MIB),
    sharedBytes: Math.min(SHARED_BYTES, memory_mb * MIB),
    folder: home,
  };
}
