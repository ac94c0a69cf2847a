// How the program of a tool server is started: in a box with its home folder and the network, or with limits alone.
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { type Box, boxedCommand } from '../../processes/box.ts';
import type { ConfinementOf } from '../../processes/confinement.ts';
import { limitedCommand } from '../../processes/limited-command.ts';
import type { ProcessToTalkWith, TalkLimits } from '../../processes/talk-process.ts';
import { insideDataHome } from '../../workspace/folder.ts';
import { ServerFailure } from '../server-failure.ts';
import type { ToolServer } from '../tool-server.ts';
import { shownPlaces } from './shown-places.ts';

export interface ProgramParts {
  readonly dataHome: string;
  /** Where programs are looked for. */
  readonly path: string;
  /** Files and folders of the service, of which no server is shown anything. */
  readonly hidden: readonly string[];
  readonly confinement: ConfinementOf;
}

const MIB = 1_048_576;
export const PROGRAM_LIMITS: TalkLimits = { processes: 256, memoryBytes: 1_024 * MIB };
const SYSTEM_LIMITS = { openFiles: 4_096, cpuSeconds: 86_400 };
const HOME = '/home/agent';
/** What programs need of the system's configuration to start and to reach others. */
const SYSTEM = [
  ...['/etc/alternatives', '/etc/ld.so.cache', '/etc/localtime', '/etc/mime.types'],
  ...['/etc/ssl/certs', '/etc/ssl/cert.pem', '/etc/ssl/openssl.cnf', '/etc/ca-certificates'],
  ...['/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted'],
  ...['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/gai.conf'],
];

/**
 * The program of a stdio server for one user. Throws `ServerFailure` when the program is not there. Its folder is
 * `users/<user>/mcp/<server>` in the data home and goes with the account.
 */
export async function programOf(
  { name, entry }: ToolServer,
  userId: string,
  parts: ProgramParts,
): Promise<ProcessToTalkWith> {
  const { command = '', args, env } = entry;
  const program = await findProgram(command, parts.path);
  if (program === undefined) {
    throw new ServerFailure(
      'unreachable',
      `The program '${command}' of the tool server '${name}' is not installed on this machine.`,
    );
  }
  const home = await homeFolder(parts.dataHome, userId, name);
  const held = await parts.confinement();
  const own = { ...env, PATH: `${parts.path}:${dirname(process.execPath)}`, LANG: 'C.UTF-8' };
  const limited = limitedCommand('sh', SYSTEM_LIMITS, [command, ...args]);
  if (!held.bubblewrap.works) {
    return { ...limited, env: { ...own, HOME: home, TMPDIR: home }, cwd: home };
  }
  const box: Box = {
    hostname: 'tool-server',
    env: { ...own, HOME, USER: 'agent', TMPDIR: '/tmp' },
    binds: [
      ...(await shownPlaces({ program, args, hidden: parts.hidden })),
      { access: 'write', outside: home, inside: HOME },
    ],
    system: SYSTEM,
    files: [
      { path: '/etc/passwd', text: `agent:x:1000:1000::${HOME}:/bin/sh\n` },
      { path: '/etc/group', text: 'agent:x:1000:\n' },
    ],
    network: { kind: 'shared' },
    tmpBytes: 256 * MIB,
    sharedBytes: 64 * MIB,
    folder: HOME,
  };
  const boxed = await boxedCommand(limited, box, held);
  return { ...boxed, env: { PATH: parts.path } };
}

async function findProgram(command: string, path: string): Promise<string | undefined> {
  const folders = [...path.split(':'), dirname(process.execPath)];
  const candidates = isAbsolute(command) ? [command] : folders.map((folder) => join(folder, command));
  for (const candidate of candidates) {
    const works = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (works) return candidate;
  }
  return undefined;
}

async function homeFolder(dataHome: string, userId: string, server: string): Promise<string> {
  const names = ['users', userId, 'mcp', server];
  await insideDataHome(dataHome, { names, create: true }, async () => {});
  return realpath(join(dataHome, ...names));
}
