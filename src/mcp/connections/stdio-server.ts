// How a tool server's program is started: in a box with its home folder and the network, or only with limits.
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { accountFiles, type Box, boxedCommand, CERTIFICATES, PLAIN_SETTINGS } from '../../processes/box.ts';
import type { ConfinementOf } from '../../processes/confinement.ts';
import { limitedCommand } from '../../processes/limited-command.ts';
import type { ProcessToTalkWith, TalkLimits } from '../../processes/talk-process.ts';
import { insideDataHome } from '../../workspace/folder.ts';
import { ServerFailure } from '../server-failure.ts';
import type { ToolServer } from '../tool-server.ts';
import { shownPlaces } from './shown-places.ts';

export interface ProgramParts {
  readonly dataHome: string;
  readonly path: string;
  /** Files and folders of the service that no server may see. */
  readonly hidden: readonly string[];
  readonly confinement: ConfinementOf;
}

const MIB = 1_048_576;
export const PROGRAM_LIMITS: TalkLimits = { processes: 256, memoryBytes: 1_024 * MIB };
const SYSTEM_LIMITS = { openFiles: 4_096, cpuSeconds: 86_400 };
const HOME = '/home/agent';
const SYSTEM = [
  ...PLAIN_SETTINGS,
  ...CERTIFICATES,
  ...['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/gai.conf'],
];

/** Throws `ServerFailure` for a missing program. Its home is `users/<user>/mcp/<server>` in the data home. */
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
    files: accountFiles(HOME, '/bin/sh'),
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
