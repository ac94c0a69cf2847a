// A command in a bubblewrap box: it sees system programs and a few folders, nothing else of this machine.
import { lstat } from 'node:fs/promises';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Confinement, Mask } from './confinement.ts';
import type { Command } from './limited-command.ts';
import type { ProcessToRun } from './run-process.ts';

export interface Box {
  readonly hostname: string;
  /** The complete environment inside. */
  readonly env: Readonly<Record<string, string>>;
  readonly binds: readonly Bind[];
  /** Files and folders of this machine that are readable at the same path, if they exist. */
  readonly system: readonly string[];
  /** Small files that exist only inside. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly network: BoxNetwork;
  /** The sizes of `/tmp` and `/dev/shm`, which lie in memory. */
  readonly tmpBytes: number;
  readonly sharedBytes: number;
  /** Where the command starts. */
  readonly folder: string;
}

type BoxNetwork =
  | { readonly kind: 'none' }
  /** The network of this machine, with everything that it reaches. */
  | { readonly kind: 'shared' }
  /** The service listens on this port of the box, the only network in it. The command starts after that. */
  | { readonly kind: 'port'; readonly port: number; readonly onListening: (server: Server) => void };

interface Bind {
  /** `read_if_there`: skipped when it no longer exists, so that the command can still start. */
  readonly access: keyof typeof BIND_ARGUMENTS;
  readonly outside: string;
  readonly inside: string;
}

/** How to start bubblewrap, and how its processes are limited. */
type BoxedCommand = Required<Pick<ProcessToRun, 'program' | 'args' | 'inputs' | 'groups' | 'inMemory'>> &
  Pick<ProcessToRun, 'onListening'>;

/** The user and group id inside the box. It refers to no account of this machine. */
const UID = '1000';
/** Settings of the system that programs need to start. They reveal nothing about this machine. */
export const PLAIN_SETTINGS = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/localtime', '/etc/mime.types'];
/** Certificates to trust, without the files beside them, such as private keys of this machine. */
export const CERTIFICATES = [
  ...['/etc/ssl/certs', '/etc/ssl/cert.pem', '/etc/ssl/openssl.cnf', '/etc/ca-certificates'],
  ...['/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted'],
];
/** The first descriptor for inputs. It carries the arguments; the files follow. */
const FIRST = 3;
const EMPTY_BYTES = 4_096;
/** The program that listens in the box: this Node with a script of the service. */
const LISTENER = fileURLToPath(new URL('./listen-in-box.mjs', import.meta.url));
const INSIDE = { node: '/run/listen/node', listener: '/run/listen/listen.mjs' } as const;

/** The account under which the command finds itself. */
export function accountFiles(home: string, shell: string): Box['files'] {
  return [
    { path: '/etc/passwd', text: `agent:x:${UID}:${UID}::${home}:${shell}\n` },
    { path: '/etc/group', text: `agent:x:${UID}:\n` },
  ];
}

/** The first process inside has bubblewrap's own environment, which must be empty except for `PATH`. */
export async function boxedCommand(
  command: Command,
  box: Box,
  { filter, groups, masks }: Confinement,
): Promise<BoxedCommand> {
  const files = box.files.map(({ text }) => text);
  const filters = filter.kind === 'usable' ? [filter.program] : [];
  const filtering = filters.flatMap(() => ['--seccomp', String(FIRST + 1 + files.length)]);
  const inputs = FIRST + 1 + files.length + filters.length;
  const { program, args } =
    box.network.kind === 'port' ? listening(command, box.network.port, inputs) : command;
  const inside = [...(await boxArguments(box, masks)), ...filtering].map((argument) => `${argument}\0`);
  return {
    program: 'bwrap',
    // The command can read these arguments, so those that name folders of this machine are passed separately.
    args: ['--args', String(FIRST), '--', program, ...args],
    inputs: [inside.join(''), ...files, ...filters],
    groups,
    inMemory: ['/tmp', '/dev/shm'],
    ...(box.network.kind === 'port' ? { onListening: box.network.onListening } : {}),
  };
}

/**
 * The listener runs before the limits of the command are set, because Node could not start under some of
 * them. The channel that hands over the socket is closed before the command starts.
 */
function listening({ program, args }: Command, port: number, channel: number): Command {
  const node = `${INSIDE.node} --v8-pool-size=0 --no-warnings ${INSIDE.listener} ${port}`;
  const script = `NODE_CHANNEL_FD=${channel} ${node} < /dev/null > /dev/null 2>&1 || exit 126
exec ${channel}>&-
exec "$@"`;
  return {
    program: '/bin/bash',
    args: ['--noprofile', '--norc', '-c', script, 'bash', program, ...args],
  };
}

async function boxArguments(box: Box, masks: readonly Mask[]): Promise<readonly string[]> {
  return [
    ...['--unshare-user', '--unshare-all', '--disable-userns'],
    ...(box.network.kind === 'shared' ? ['--share-net'] : []),
    ...['--uid', UID, '--gid', UID, '--cap-drop', 'ALL', '--hostname', box.hostname],
    ...['--die-with-parent', '--new-session', '--clearenv'],
    ...Object.entries(box.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(await systemArguments()),
    ...box.system.flatMap((path) => ['--ro-bind-try', path, path]),
    ...box.files.flatMap(({ path }, index) => ['--ro-bind-data', String(FIRST + 1 + index), path]),
    // For a service that is root, the kernel's settings are its own files: the command could write to them.
    ...[
      '--proc',
      '/proc',
      '--ro-bind-try',
      '/proc/sys',
      '/proc/sys',
      '--dev',
      '/dev',
      '--size',
      String(box.sharedBytes),
      '--tmpfs',
      '/dev/shm',
    ],
    ...['--remount-ro', '/dev', '--size', String(box.tmpBytes), '--tmpfs', '/tmp'],
    ...masks.flatMap(maskArguments),
    ...box.binds.flatMap(({ access, outside, inside }) => [BIND_ARGUMENTS[access], outside, inside]),
    ...(box.network.kind === 'port' ? LISTENER_BINDS : []),
    ...['--remount-ro', '/', '--chdir', box.folder],
  ];
}

const BIND_ARGUMENTS = { read: '--ro-bind', read_if_there: '--ro-bind-try', write: '--bind' } as const;

const LISTENER_BINDS = [
  ...['--ro-bind', process.execPath, INSIDE.node],
  ...['--ro-bind', LISTENER, INSIDE.listener],
];

function maskArguments({ kind, path }: Mask): readonly string[] {
  return kind === 'file'
    ? ['--ro-bind', '/dev/null', path]
    : ['--size', String(EMPTY_BYTES), '--tmpfs', path, '--remount-ro', path];
}

/** Binds programs and libraries, laid out as outside: merged into `/usr`, or beside it on older systems. */
async function systemArguments(): Promise<readonly string[]> {
  const args = ['--ro-bind', '/usr', '/usr'];
  for (const name of ['bin', 'sbin', 'lib', 'lib64', 'lib32']) {
    const entry = await lstat(`/${name}`).catch(() => undefined);
    if (entry?.isSymbolicLink() === true) args.push('--symlink', `usr/${name}`, `/${name}`);
    else if (entry !== undefined) args.push('--ro-bind', `/${name}`, `/${name}`);
  }
  return args;
}
