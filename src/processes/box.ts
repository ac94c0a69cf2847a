// A command in a box of bubblewrap: the system's programs to read, a few folders, and nothing else of this machine.
import { lstat } from 'node:fs/promises';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Confinement, Mask } from './confinement.ts';
import type { Command } from './limited-command.ts';
import type { ProcessToRun } from './run-process.ts';

export interface Box {
  readonly hostname: string;
  /** The whole environment inside. */
  readonly env: Readonly<Record<string, string>>;
  readonly binds: readonly Bind[];
  /** Files and folders of this machine that are readable in the same place where they exist. */
  readonly system: readonly string[];
  /** Small files that exist only inside. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly network: BoxNetwork;
  /** Of `/tmp` and `/dev/shm`, which are memory. */
  readonly tmpBytes: number;
  readonly sharedBytes: number;
  /** Where the command begins. */
  readonly folder: string;
}

type BoxNetwork =
  | { readonly kind: 'none' }
  /** This machine's own, with everything that it reaches. */
  | { readonly kind: 'shared' }
  /** Somebody outside listens on this port of the box itself; nothing else is there. The command begins once it does. */
  | { readonly kind: 'port'; readonly port: number; readonly onListening: (server: Server) => void };

interface Bind {
  /** `read_if_there`: what went away meanwhile is not there, and no reason to start nothing. */
  readonly access: keyof typeof BIND_ARGUMENTS;
  readonly outside: string;
  readonly inside: string;
}

/** What bubblewrap reads, and what its processes are held by. */
type BoxedCommand = Required<Pick<ProcessToRun, 'program' | 'args' | 'inputs' | 'groups' | 'inMemory'>> &
  Pick<ProcessToRun, 'onListening'>;

/** Who a command is inside: nobody that exists outside. */
const UID = '1000';
/** Descriptors: the arguments come first, the files after them. */
const FIRST = 3;
const EMPTY_BYTES = 4_096;
/** What listens: this Node, and a program of ours. */
const LISTENER = fileURLToPath(new URL('./listen-in-box.mjs', import.meta.url));
const INSIDE = { node: '/run/listen/node', listener: '/run/listen/listen.mjs' } as const;

/** The first process inside has the environment of bubblewrap itself, which has to be an empty one but for `PATH`. */
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
    // The others are not in the arguments, which the command can read: they name folders of this machine.
    args: ['--args', String(FIRST), '--', program, ...args],
    inputs: [inside.join(''), ...files, ...filters],
    groups,
    inMemory: ['/tmp', '/dev/shm'],
    ...(box.network.kind === 'port' ? { onListening: box.network.onListening } : {}),
  };
}

/**
 * Before the limits of the command, some of which Node could not start with. The channel on which the socket is handed
 * over is closed before the command begins.
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
    // To a service that is root, the settings of the kernel are its own files: the command could write to them.
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

/** Programs and libraries, laid out as outside: merged into `/usr`, or beside it on older systems. */
async function systemArguments(): Promise<readonly string[]> {
  const args = ['--ro-bind', '/usr', '/usr'];
  for (const name of ['bin', 'sbin', 'lib', 'lib64', 'lib32']) {
    const entry = await lstat(`/${name}`).catch(() => undefined);
    if (entry?.isSymbolicLink() === true) args.push('--symlink', `usr/${name}`, `/${name}`);
    else if (entry !== undefined) args.push('--ro-bind', `/${name}`, `/${name}`);
  }
  return args;
}
