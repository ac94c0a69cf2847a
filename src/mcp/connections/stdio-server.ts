// How the program of a tool server is started: in a box with its home folder and the network, or with limits alone.
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { type Box, boxedCommand } from '../../processes/box.ts';
import type { ConfinementOf } from '../../processes/confinement.ts';
import { limitedCommand } from '../../processes/limited-command.ts';
import type { ProcessToTalkWith, TalkLimits } from '../../processes/talk-process.ts';
import { insideDataHome } from '../../workspace/folder.ts';
import { ServerFailure } from '../server-failure.ts';
import type { ToolServer } from '../tool-server.ts';

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
/** What every box shows anyway, or must not. */
const SHOWN = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32'];
const NEVER = ['/proc', '/sys', '/dev', '/run', '/etc', '/boot'];

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
      ...(await programFolders(program)),
      ...(await givenFolders(args, parts.hidden)),
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

type Bind = Box['binds'][number];

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

/** A program that lies elsewhere than the system's is shown with what lies beside it, such as the rest of Node. */
async function programFolders(program: string): Promise<readonly Bind[]> {
  const folder = dirname(program);
  const candidates = [folder, join(dirname(folder), 'lib'), dirname(process.execPath)];
  return existing(
    candidates.filter((path) => !isBelow(path, SHOWN)).map((path) => ({ access: 'read', path })),
  );
}

interface Shown {
  readonly access: Bind['access'];
  readonly path: string;
}

/**
 * What an administrator names in the arguments: a folder to read and write, a file with the package that it belongs to,
 * to read. Nothing that is the service's own or holds it.
 */
async function givenFolders(args: readonly string[], hidden: readonly string[]): Promise<readonly Bind[]> {
  const own = await Promise.all(hidden.map((path) => realpath(path).catch(() => path)));
  const mayBeShown = ({ path }: Shown): boolean =>
    path !== '/' && !isBelow(path, [...SHOWN, ...NEVER, ...own]) && !own.some((it) => isBelow(it, [path]));
  const candidates = await Promise.all(args.filter((it) => isAbsolute(it)).map((path) => shownFor(path)));
  // Those around others first: what is mounted later covers what was there.
  return existing(
    candidates
      .flatMap((it) => it.find(mayBeShown) ?? [])
      .toSorted((one, other) => one.path.length - other.path.length),
  );
}

/** The best first. */
async function shownFor(path: string): Promise<readonly Shown[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return [{ access: 'write', path }];
  if (found?.isFile() !== true) return [];
  const names = path.split(sep);
  const modules = names.indexOf('node_modules');
  const folder = modules === -1 ? await packageFolder(dirname(path)) : names.slice(0, modules + 1).join(sep);
  return [folder, dirname(path)].map((it) => ({ access: 'read', path: it }));
}

/** The nearest folder that says that it is a package; the file's own where none does. */
async function packageFolder(folder: string): Promise<string> {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    for (const file of ['package.json', 'pyproject.toml']) {
      if ((await stat(join(at, file)).catch(() => undefined)) !== undefined) return at;
    }
  }
  return folder;
}

/** The same place inside as outside. What leads through a link is shown where the link says. */
async function existing(shown: readonly Shown[]): Promise<readonly Bind[]> {
  const binds = shown.map(async ({ access: mode, path }): Promise<readonly Bind[]> => {
    const outside = await realpath(path).catch(() => undefined);
    return outside === undefined ? [] : [{ access: mode, outside, inside: path }];
  });
  return (await Promise.all(binds)).flat();
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}${sep}`));
}
